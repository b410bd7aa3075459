import type { Ledger } from "./ledger.ts";
import { MemoryLedger } from "./memory.ts";
import type { Database, OpenOptions } from "./sql/database.ts";

/**
 * Opens the ledger at an address, making it when it is not there:
 *
 * - `file:./state.db`, `file:/var/lib/state.db`: a SQLite file.
 * - `postgres://user@host/database`, with `?schema=name` for a schema other than `public`.
 * - `memory:`: nothing is kept; loads no database driver and no native module.
 *
 * An opened {@link Database} may be given instead; closing the ledger leaves it open.
 *
 * @throws {LedgerError} `bad_url`, `unwritable`, `newer_schema`
 */
export async function openLedger(where: string | Database, options: OpenOptions = {}): Promise<Ledger> {
  if (where === "memory:") return new MemoryLedger();
  // Loaded only now, so that a ledger in memory loads no database driver.
  const { openSqlLedger } = await import("./sql/store.ts");
  if (typeof where !== "string") return openSqlLedger(where);
  const { openDatabase } = await import("./sql/open-database.ts");
  const database = await openDatabase(where, options);
  try {
    return await openSqlLedger(database, { ownsDatabase: true });
  } catch (error) {
    await database.close();
    throw error;
  }
}
