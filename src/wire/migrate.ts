import type { Database } from "../ledger/sql/index.ts";
import {
  itemMigrations,
  keepingMigrations,
  noticeMigrations,
  serverMigrations,
  webhookMigrations,
} from "../server/index.ts";

/** Brings the server's tables to the newest version. The ledger sees to its own. */
export async function migrate(database: Database): Promise<void> {
  await database.migrate("server", serverMigrations);
  await database.migrate("items", itemMigrations);
  await database.migrate("keeping", keepingMigrations);
  await database.migrate("webhooks", webhookMigrations);
  await database.migrate("notices", noticeMigrations);
}
