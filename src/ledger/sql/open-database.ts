import { LedgerError } from "../ledger.ts";
import type { Database, OpenOptions } from "./database.ts";

/**
 * Opens the SQLite file or the PostgreSQL database at an address: see {@link Database}.
 *
 * @throws {LedgerError} `bad_url`, `unwritable`
 */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  if (url.startsWith("file:")) {
    const { openSqlite } = await import("./sqlite.ts");
    return openSqlite(url, options);
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import("./postgres.ts");
    return openPostgres(url);
  }
  throw badUrl(url);
}

function badUrl(url: string): LedgerError {
  // Only what stands before the first colon is repeated: the rest may hold a password.
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0];
  const found = scheme ? `begins with "${scheme}"` : "has no scheme";
  return new LedgerError(
    "bad_url",
    `The address of the store ${found}. Give "file:./state.db", "postgres://user@host/database" or "memory:".`,
  );
}
