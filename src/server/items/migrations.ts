import type { Migration } from "../../ledger/sql/index.ts";

/** The schema of the items, one step a version. Steps that were released are never changed: add another one. */
export const itemMigrations: Migration[] = [
  ({ schema }) => [
    schema
      .createTable("server_items")
      .addColumn("namespace", "text", (column) => column.notNull())
      .addColumn("key", "text", (column) => column.notNull())
      .addColumn("value_json", "text", (column) => column.notNull())
      .addColumn("created_at", "text", (column) => column.notNull())
      .addColumn("updated_at", "text", (column) => column.notNull())
      .addColumn("ttl_minutes", "double precision")
      .addColumn("expires_at", "text")
      .addPrimaryKeyConstraint("server_items_key", ["namespace", "key"])
      .compile(),
    schema.createIndex("server_items_by_age").on("server_items").columns(["expires_at"]).compile(),
  ],
];
