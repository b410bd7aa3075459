import type { Verification } from "../ledger.ts";
import { verify } from "../verify.ts";
import type { Database } from "./database.ts";
import { sqlSnapshot } from "./sql-snapshot.ts";
import type { LedgerTables } from "./tables.ts";

/** Verifies the ledger in a database as it is, without bringing its tables to the newest version. */
export function verifyDatabase(database: Database, options: { head?: string } = {}): Promise<Verification> {
  const build = database.builder<LedgerTables>();
  return database.snapshot((read) => verify(sqlSnapshot(read, build, database.dialect), options));
}
