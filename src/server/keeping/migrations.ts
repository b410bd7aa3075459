import type { Migration } from "../../ledger/sql/index.ts";

/** What first answers are about and who makes them, and whose deleted threads were, one step a version. */
export const keepingMigrations: Migration[] = [
  ({ schema }) => [
    schema
      .createTable("keeping_answers")
      .addColumn("key", "text", (column) => column.notNull())
      .addColumn("thread_id", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("keeping_answers_key", ["key", "thread_id"])
      .compile(),
    schema.createIndex("keeping_answers_by_thread").on("keeping_answers").columns(["thread_id"]).compile(),
  ],
  ({ schema }) => [
    schema
      .createTable("keeping_owners")
      .addColumn("thread_id", "text", (column) => column.primaryKey())
      .addColumn("owner_digest", "text", (column) => column.notNull())
      .compile(),
  ],
  ({ schema }) => [
    schema
      .createTable("keeping_keys")
      .addColumn("key", "text", (column) => column.primaryKey())
      .addColumn("owner_id", "text", (column) => column.notNull())
      .compile(),
  ],
];
