import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ask, askOne, openDatabase, type Database } from "../../ledger/sql/index.ts";
import { copySqlite, replaceSqlite } from "../../ledger/sql/sqlite-copy.ts";
import type { ServerTables } from "../database/tables.ts";
import { StartError } from "../start-error.ts";
import { usePostgres } from "./backup-store.ts";
import { checkStore } from "./check-store.ts";
import { assertThere, filePathOf } from "./store-address.ts";

export interface Restored {
  store: string;
  /** Where the store that was there is now; `null` when there was none. */
  kept: string | null;
  /** How many events the record has now. */
  events: number;
  /** How many events were written after the backup, and are gone; `null` when the store that was there has another past. */
  lost: number | null;
}

/**
 * Puts a backup in the place of a store. The backup is checked first, and the store that was there is kept beside it.
 *
 * @throws {StartError} `bad_store`; `store_in_use` while anybody has the store open; `store_damaged` when the backup
 *   cannot be trusted. Nothing was changed then.
 */
export async function restoreStore(store: string, from: string): Promise<Restored> {
  const path = filePathOf(store);
  if (path === null) throw usePostgres("pg_restore");
  const file = resolve(from);
  assertThere(file, "backup");
  if (file === path) throw new StartError("bad_store", "A store cannot be restored from itself.");
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.restore-${process.pid}`;
  try {
    await copySqlite(file, part).catch((cause: unknown) => {
      throw damaged(file, [cause instanceof Error ? cause.message : String(cause)]);
    });
    const { findings, record } = await checkStore(`file:${part}`);
    const grave = findings.filter(({ kind }) => kind !== "dangling").map(({ message }) => message);
    if (record === null || grave.length > 0) throw damaged(file, grave);
    await forgetProcesses(part);
    const restored = { store: `file:${path}`, events: record.events };
    if (!existsSync(path)) {
      renameSync(part, path);
      return { ...restored, kept: null, lost: 0 };
    }
    const lost = await lostEvents(path, { events: record.events, head: record.head });
    const kept = freeName(`${path}.bak`);
    if (!(await replaceSqlite(path, part, kept))) throw inUse(path);
    return { ...restored, kept, lost };
  } finally {
    rmSync(part, { force: true });
  }
}

/** How many events a store has behind those of a backup; `null` when it does not contain them. */
async function lostEvents(path: string, backup: { events: number; head: string }): Promise<number | null> {
  let database: Database | undefined;
  try {
    database = await openDatabase(`file:${path}`);
    const build = database.builder<{ ledger_events: { seq: number; head_hash: string } }>();
    const events = build.selectFrom("ledger_events");
    const newest = events.select(({ fn }) => fn.max("seq").as("seq")).compile();
    const same = events
      .select("seq")
      .where("seq", "=", backup.events)
      .where("head_hash", "=", backup.head)
      .compile();
    return await database.read(function* () {
      const isPast = backup.events === 0 || (yield* askOne(same)) !== undefined;
      return isPast ? ((yield* askOne(newest))?.seq ?? 0) - backup.events : null;
    });
  } catch {
    // What was there cannot be read, which may be why it is replaced.
    return null;
  } finally {
    await database?.close();
  }
}

/** The processes that used the store when it was backed up do not use this one. */
async function forgetProcesses(path: string): Promise<void> {
  const database = await openDatabase(`file:${path}`);
  const build = database.builder<ServerTables>();
  try {
    await database.run(function* () {
      yield* ask(build.deleteFrom("server_processes").compile());
      yield* ask(build.deleteFrom("server_duties").compile());
      yield* ask(build.updateTable("server_threads").set({ lane_owner: null }).compile());
    });
  } catch {
    // A store of an earlier version, or of a library alone, knows no processes.
  } finally {
    await database.close();
  }
}

function freeName(wanted: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted}.${count}`;
    if (!existsSync(name)) return name;
  }
}

function inUse(path: string): StartError {
  const message = `The store ${path} is open in another process. Stop the server that uses it, then restore again.`;
  return new StartError("store_in_use", message);
}

function damaged(file: string, findings: readonly string[]): StartError {
  const all = findings.slice(0, 3).join("; ");
  return new StartError("store_damaged", `The backup ${file} cannot be restored: ${all}. Take another one.`);
}
