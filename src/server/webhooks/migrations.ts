import type { Migration } from "../../ledger/sql/index.ts";

type Told = Record<"server_runs", { webhook: string | null; ended_at: string | null }>;

/** The webhooks that are still to be told, one step a version. */
export const webhookMigrations: Migration[] = [
  (build) => [
    build.schema
      .createTable("webhooks_waiting")
      .addColumn("run_id", "text", (column) => column.primaryKey())
      .addColumn("thread_id", "text", (column) => column.notNull())
      .addColumn("url", "text", (column) => column.notNull())
      .addColumn("body", "text", (column) => column.notNull())
      .addColumn("attempts", "integer", (column) => column.notNull())
      .addColumn("due_ms", "bigint", (column) => column.notNull())
      .compile(),
    build.schema.createIndex("webhooks_waiting_by_time").on("webhooks_waiting").columns(["due_ms"]).compile(),
    build.schema
      .createIndex("webhooks_waiting_by_thread")
      .on("webhooks_waiting")
      .columns(["thread_id"])
      .compile(),
    // Those of earlier versions were told or given up.
    build
      .withTables<Told>()
      .updateTable("server_runs")
      .set({ webhook: null })
      .where("ended_at", "is not", null)
      .compile(),
  ],
];
