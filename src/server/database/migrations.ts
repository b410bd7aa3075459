import type { Migration } from "../../ledger/sql/index.ts";

/** The server's schema, one step a version. Steps that were released are never changed: add another one. */
export const serverMigrations: Migration[] = [
  ({ schema }) => [
    schema
      .createTable("server_threads")
      .addColumn("thread_id", "text", (column) => column.primaryKey())
      .addColumn("created_at", "text", (column) => column.notNull())
      .addColumn("updated_at", "text", (column) => column.notNull())
      .addColumn("metadata_json", "text", (column) => column.notNull())
      .addColumn("graph_id", "text")
      .addColumn("assistant_id", "text")
      .addColumn("order_json", "text")
      .addColumn("status", "text", (column) => column.notNull())
      .addColumn("error", "text")
      .addColumn("run_id", "text")
      .compile(),
    schema
      .createTable("server_runs")
      .addColumn("run_id", "text", (column) => column.primaryKey())
      .addColumn("thread_id", "text", (column) => column.notNull())
      .addColumn("graph_id", "text", (column) => column.notNull())
      .addColumn("assistant_id", "text", (column) => column.notNull())
      .addColumn("status", "text", (column) => column.notNull())
      .addColumn("cause", "text", (column) => column.notNull())
      .addColumn("created_at", "text", (column) => column.notNull())
      .addColumn("ended_at", "text")
      .addColumn("error", "text")
      .addColumn("answer_digest", "text")
      .compile(),
    schema
      .createTable("server_answers")
      .addColumn("key", "text", (column) => column.primaryKey())
      .addColumn("request_digest", "text", (column) => column.notNull())
      .addColumn("status", "integer", (column) => column.notNull())
      .addColumn("content_type", "text", (column) => column.notNull())
      .addColumn("body", "text", (column) => column.notNull())
      .addColumn("created_at", "text", (column) => column.notNull())
      .compile(),
    schema
      .createIndex("server_threads_by_status")
      .on("server_threads")
      .columns(["status", "updated_at"])
      .compile(),
    schema
      .createIndex("server_runs_by_thread")
      .on("server_runs")
      .columns(["thread_id", "created_at"])
      .compile(),
    schema.createIndex("server_answers_by_age").on("server_answers").columns(["created_at"]).compile(),
  ],
  ({ schema }) => [
    schema
      .createTable("server_owner")
      .addColumn("slot", "integer", (column) => column.primaryKey())
      .addColumn("owner_id", "text", (column) => column.notNull())
      .addColumn("pid", "bigint", (column) => column.notNull())
      .addColumn("host", "text", (column) => column.notNull())
      .addColumn("beat_ms", "bigint", (column) => column.notNull())
      .compile(),
  ],
  ({ schema }) => [
    ...(
      ["updated_at", "kwargs_json", "starts_at", "webhook", "cancel_reason", "from_checkpoint"] as const
    ).map((name) => schema.alterTable("server_runs").addColumn(name, "text").compile()),
    schema
      .alterTable("server_runs")
      .addColumn("metadata_json", "text", (column) => column.notNull().defaultTo("{}"))
      .compile(),
    schema
      .alterTable("server_runs")
      .addColumn("multitask_strategy", "text", (column) => column.notNull().defaultTo("reject"))
      .compile(),
    schema
      .alterTable("server_runs")
      .addColumn("attempt", "integer", (column) => column.notNull().defaultTo(1))
      .compile(),
    schema.createIndex("server_runs_by_status").on("server_runs").columns(["status", "thread_id"]).compile(),
  ],
  ({ schema }) => [
    // Whose a thread is, how long it is kept, and which process has it.
    ...(["owner", "requested_by", "ttl_json", "expires_at", "lane_owner"] as const).map((name) =>
      schema.alterTable("server_threads").addColumn(name, "text").compile(),
    ),
    schema.alterTable("server_runs").addColumn("requested_by", "text").compile(),
    schema
      .createIndex("server_threads_by_owner")
      .on("server_threads")
      .columns(["owner", "thread_id"])
      .compile(),
    schema.createIndex("server_threads_by_end").on("server_threads").columns(["expires_at"]).compile(),
    schema.createIndex("server_threads_by_lane").on("server_threads").columns(["lane_owner"]).compile(),
    schema
      .createTable("server_processes")
      .addColumn("owner_id", "text", (column) => column.primaryKey())
      .addColumn("pid", "bigint", (column) => column.notNull())
      .addColumn("host", "text", (column) => column.notNull())
      .addColumn("beat", "bigint", (column) => column.notNull())
      .addColumn("started_at", "text", (column) => column.notNull())
      .compile(),
    schema
      .createTable("server_duties")
      .addColumn("duty", "text", (column) => column.primaryKey())
      .addColumn("owner_id", "text", (column) => column.notNull())
      .compile(),
    schema
      .createTable("server_tokens")
      .addColumn("token_id", "text", (column) => column.primaryKey())
      .addColumn("principal", "text", (column) => column.notNull())
      .addColumn("roles_json", "text", (column) => column.notNull())
      .addColumn("secret_digest", "text", (column) => column.notNull())
      .addColumn("created_at", "text", (column) => column.notNull())
      .addColumn("expires_at", "text")
      .addColumn("revoked_at", "text")
      .compile(),
  ],
  ({ schema }) => [schema.alterTable("server_runs").addColumn("cancelled_by", "text").compile()],
  ({ schema }) => [schema.alterTable("server_threads").addColumn("inherited_json", "text").compile()],
];
