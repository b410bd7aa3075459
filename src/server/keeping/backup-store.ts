import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { copySqlite } from "../../ledger/sql/sqlite-copy.ts";
import { StartError } from "../start-error.ts";
import { checkStore, type StoreCheck } from "./check-store.ts";
import { assertThere, filePathOf } from "./store-address.ts";

export interface Backup {
  file: string;
  bytes: number;
  /** What was found in the copy. */
  check: StoreCheck;
}

/**
 * Copies a store in a SQLite file into another file, while a server uses it or not, and checks the copy.
 *
 * @throws {StartError} `bad_store`, `file_exists`
 */
export async function backupStore(
  store: string,
  to: string,
  { force = false }: { force?: boolean } = {},
): Promise<Backup> {
  const path = filePathOf(store);
  if (path === null) throw usePostgres("pg_dump");
  assertThere(path);
  const file = resolve(to);
  if (file === path) throw new StartError("bad_store", "A store cannot be backed up into itself.");
  if (existsSync(file) && !force)
    throw new StartError("file_exists", `${file} is there already. Give another name, or --force.`);
  const part = `${file}.part-${process.pid}`;
  try {
    await copySqlite(path, part);
    const check = await checkStore(`file:${part}`);
    renameSync(part, file);
    return { file, bytes: statSync(file).size, check: { ...check, store: `file:${file}` } };
  } finally {
    rmSync(part, { force: true });
  }
}

export function usePostgres(tool: "pg_dump" | "pg_restore"): StartError {
  const message = `A store on PostgreSQL is kept with PostgreSQL's own tools: use ${tool}. "countersign store check" looks at it.`;
  return new StartError("bad_store", message);
}
