import { existsSync } from "node:fs";
import { sqlitePath } from "../../ledger/sql/sqlite-file.ts";
import { StartError } from "../start-error.ts";

/** The path of a store in a file; `null` for one on PostgreSQL. @throws {StartError} `bad_store` */
export function filePathOf(store: string): string | null {
  if (/^postgres(ql)?:/.test(store)) return null;
  if (store.startsWith("file:")) return sqlitePath(store);
  throw new StartError("bad_store", "That is no address of a store: give file:./state.db or postgres://….");
}

/** @throws {StartError} `bad_store` when there is no file. */
export function assertThere(path: string, what = "store"): void {
  if (!existsSync(path)) throw new StartError("bad_store", `There is no ${what} at ${path}.`);
}
