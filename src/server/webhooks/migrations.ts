import type { Migration } from "../../ledger/sql/index.ts";
import type { Message } from "./outbox.ts";

type Waiting = Record<"webhooks_waiting", Omit<Message, "message_id"> & { run_id: string }>;
type Waits = Waiting & Record<"outbox", Message>;

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
  // One outbox for all that is to be told, to whomever.
  (build) => [
    build.schema
      .createTable("outbox")
      .addColumn("message_id", "text", (column) => column.primaryKey())
      .addColumn("thread_id", "text")
      .addColumn("url", "text", (column) => column.notNull())
      .addColumn("body", "text", (column) => column.notNull())
      .addColumn("attempts", "integer", (column) => column.notNull())
      .addColumn("due_ms", "bigint", (column) => column.notNull())
      .addColumn("target", "text")
      .addColumn("subject", "text")
      .addColumn("place", "bigint")
      .compile(),
    build.schema.createIndex("outbox_by_time").on("outbox").columns(["due_ms"]).compile(),
    build.schema.createIndex("outbox_by_thread").on("outbox").columns(["thread_id"]).compile(),
    build.schema.createIndex("outbox_by_subject").on("outbox").columns(["subject", "place"]).compile(),
    build
      .withTables<Waits>()
      .insertInto("outbox")
      .columns(["message_id", "thread_id", "url", "body", "attempts", "due_ms"])
      .expression((from) =>
        from
          .selectFrom("webhooks_waiting")
          .select(["run_id", "thread_id", "url", "body", "attempts", "due_ms"]),
      )
      .compile(),
    build.schema.dropTable("webhooks_waiting").compile(),
  ],
];
