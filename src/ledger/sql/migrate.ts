import { sql, type Kysely } from "kysely";
import { LedgerError } from "../ledger.ts";
import { ask, askOne, type Dialect, type Migration, type Work } from "./database.ts";

export interface SchemaTables {
  countersign_schema: { room: string; version: number };
}

/** Brings the tables of a room to the newest version, inside the transaction that runs it. */
export function* migrateWork(
  build: Kysely<unknown>,
  dialect: Dialect,
  room: string,
  migrations: Migration[],
): Work<void> {
  const schema = build as Kysely<SchemaTables>;
  yield* ask(createVersions(build));
  const row = yield* askOne(
    schema.selectFrom("countersign_schema").select("version").where("room", "=", room).compile(),
  );
  const version = row?.version ?? 0;
  if (version > migrations.length) throw newerSchema(room, version, migrations.length);
  if (version === migrations.length) return;
  for (const migration of migrations.slice(version)) {
    for (const statement of migration(build, dialect)) yield* ask(statement);
  }
  yield* ask(
    schema
      .insertInto("countersign_schema")
      .values({ room, version: migrations.length })
      .onConflict((conflict) => conflict.column("room").doUpdateSet({ version: migrations.length }))
      .compile(),
  );
}

function createVersions(build: Kysely<unknown>) {
  return build.schema
    .createTable("countersign_schema")
    .ifNotExists()
    .addColumn("room", "text", (column) => column.primaryKey())
    .addColumn("version", "integer", (column) => column.notNull().check(sql`version > 0`))
    .compile();
}

function newerSchema(room: string, found: number, known: number): LedgerError {
  return new LedgerError(
    "newer_schema",
    `The store's tables of "${room}" have version ${found}; this version of countersign knows ${known}. Update countersign, or give another store.`,
  );
}
