import { existsSync } from "node:fs";
import { openLedger, type Verification } from "../../ledger/index.ts";
import { sqlitePath } from "../../ledger/sql/sqlite-file.ts";
import { StartError } from "../start-error.ts";

/**
 * Checks the record of a store, `file:` or `postgres://`, with no server.
 *
 * @throws {StartError | LedgerError} when there is no store at this address, or it cannot be read.
 */
export async function verifyStore(store: string, options: { head?: string } = {}): Promise<Verification> {
  if (!/^(file:|postgres(ql)?:)/.test(store))
    throw new StartError("bad_store", "That is no address of a store: give file:./state.db or postgres://….");
  // Opening it would make it, and an empty record holds.
  if (store.startsWith("file:") && !existsSync(sqlitePath(store)))
    throw new StartError("bad_store", `There is no store at ${sqlitePath(store)}.`);
  const ledger = await openLedger(store);
  try {
    return await ledger.verify(options);
  } finally {
    await ledger.close();
  }
}
