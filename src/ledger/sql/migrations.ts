import { sql, type CompiledQuery, type Kysely } from "kysely";
import { CHAIN_START } from "../chain.ts";
import type { Dialect, Migration } from "./database.ts";
import { appendOnly, erasable } from "./append-only.ts";
import type { LedgerTables } from "./tables.ts";

/** The ledger's schema, one step a version. Steps that were released are never changed: add another one. */
export const ledgerMigrations: Migration[] = [first, erasing, grants, takes, threadStates, deciders];

function first(build: Kysely<unknown>, dialect: Dialect): CompiledQuery[] {
  const tables = [events(build, dialect), calls(build, dialect), approvals(build, dialect)];
  return [
    ...tables.map((table) => table.compile()),
    ...tips(build, dialect),
    ...indexes(build),
    ...appendOnly(dialect),
  ];
}

/** Who decided, so that somebody's newest decisions are found. */
function deciders(build: Kysely<unknown>, dialect: Dialect): CompiledQuery[] {
  const { text } = columns(dialect);
  const known =
    dialect === "sqlite"
      ? sql`case when json_extract(record, '$.decision.decided_by.kind') = 'user' and json_extract(record, '$.decision.type') is not null
          then coalesce(json_extract(record, '$.decision.decided_by.id'), '') end`
      : sql`case when record::json#>>'{decision,decided_by,kind}' = 'user' and record::json#>>'{decision,type}' is not null
          then coalesce(record::json#>>'{decision,decided_by,id}', '') end`;
  return [
    build.schema.alterTable("ledger_approvals").addColumn("decider", text).compile(),
    sql`update ledger_approvals set decider = ${known}`.compile(build),
    build.schema
      .createIndex("ledger_approvals_by_decider")
      .on("ledger_approvals")
      .columns(["decider", "request_seq"])
      .compile(),
  ];
}

/** What holds on threads beside their calls. Before this step nothing could. */
function threadStates(build: Kysely<unknown>, dialect: Dialect): CompiledQuery[] {
  const { text, seq, end } = columns(dialect);
  const table = build.schema
    .createTable("ledger_thread_states")
    .addColumn("thread_id", text, (column) => column.primaryKey())
    .addColumn("mode", text)
    .addColumn("mode_seq", seq, (column) => column.notNull())
    .addColumn("rejected", "integer", (column) => column.notNull())
    .addColumn("rejected_in_row", "integer", (column) => column.notNull())
    .modifyEnd(end);
  return [table.compile()];
}

/** Remembered decisions, found by what they may speak of. */
function grants(build: Kysely<unknown>, dialect: Dialect): CompiledQuery[] {
  const { text, seq, end } = columns(dialect);
  const table = build.schema
    .createTable("ledger_grants")
    .addColumn("grant_id", text, (column) => column.primaryKey())
    .addColumn("call_id", text, (column) => column.notNull())
    .addColumn("thread_id", text, (column) => column.notNull())
    .addColumn("tool", text, (column) => column.notNull())
    .addColumn("scope", text, (column) => column.notNull())
    .addColumn("subject", text, (column) => column.notNull())
    .addColumn("status", text, (column) => column.notNull())
    .addColumn("expires_at", text, (column) => column.notNull())
    .addColumn("uses", "integer", (column) => column.notNull())
    .addColumn("used", "integer", (column) => column.notNull())
    .addColumn("made_seq", seq, (column) => column.notNull())
    .addColumn("record", text, (column) => column.notNull())
    .modifyEnd(end);
  const index = (name: string, on: string[]) =>
    build.schema.createIndex(`ledger_grants_${name}`).on("ledger_grants").columns(on);
  const digest =
    dialect === "sqlite" ? sql`json_extract(record, '$.args_digest')` : sql`(record::json)->>'args_digest'`;
  return [
    build.schema.alterTable("ledger_approvals").addColumn("args_digest", text).compile(),
    sql`update ledger_approvals set args_digest = ${digest}`.compile(build),
    build.schema
      .createIndex("ledger_approvals_by_call_made")
      .on("ledger_approvals")
      .columns(["tool", "args_digest", "thread_id", "request_seq"])
      .compile(),
    ...[
      table,
      index("by_tool", ["tool", "status", "made_seq"]),
      index("by_call", ["call_id", "status"]),
      index("by_age", ["made_seq"]),
    ].map((one) => one.compile()),
  ];
}

/** What questions take of allowances and budgets, found by what is summed up together. */
function takes(build: Kysely<unknown>, dialect: Dialect): CompiledQuery[] {
  const { text, end, real } = columns(dialect);
  const table = build.schema
    .createTable("ledger_takes")
    .addColumn("approval_id", text, (column) => column.notNull())
    .addColumn("meter", text, (column) => column.notNull())
    .addColumn("subject", text, (column) => column.notNull())
    .addColumn("call_id", text, (column) => column.notNull())
    .addColumn("at", text, (column) => column.notNull())
    .addColumn("amount", real, (column) => column.notNull())
    .addColumn("is_returned", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("ledger_takes_key", ["approval_id", "meter"])
    .modifyEnd(end);
  const index = (name: string, on: string[]) =>
    build.schema.createIndex(`ledger_takes_${name}`).on("ledger_takes").columns(on);
  return [
    table,
    index("by_subject", ["subject", "meter", "is_returned", "at", "amount"]),
    index("by_call", ["call_id"]),
  ].map((one) => one.compile());
}

/** What erasing needs: the approvals that were erased, the events that did it, and the right to let payloads go. */
function erasing(build: Kysely<unknown>, dialect: Dialect): CompiledQuery[] {
  const { text, end } = columns(dialect);
  const erased = build.schema
    .createTable("ledger_erased")
    .addColumn("approval_id", text, (column) => column.primaryKey())
    .addColumn("thread_id", text, (column) => column.notNull())
    .modifyEnd(end);
  const erasures = build.schema
    .createIndex("ledger_events_erasures")
    .on("ledger_events")
    .columns(["thread_id", "thread_seq"])
    .where(sql<boolean>`type = 'thread_erased'`);
  return [erased.compile(), erasures.compile(), ...erasable(dialect)];
}

/** How columns are declared in each database. */
function columns(dialect: Dialect) {
  const isSqlite = dialect === "sqlite";
  return {
    // Compared byte by byte in both, so that times and ids sort alike.
    text: isSqlite ? sql`text` : sql`text collate "C"`,
    seq: isSqlite ? sql`integer` : sql`bigint`,
    real: isSqlite ? sql`real` : sql`double precision`,
    // Without STRICT, SQLite takes any type in any column.
    end: isSqlite ? sql`strict` : sql``,
  };
}

function events(build: Kysely<unknown>, dialect: Dialect) {
  const { text, seq, end } = columns(dialect);
  return build.schema
    .createTable("ledger_events")
    .addColumn("seq", seq, (column) => column.primaryKey())
    .addColumn("thread_id", text, (column) => column.notNull())
    .addColumn("thread_seq", seq, (column) => column.notNull())
    .addColumn("at", text, (column) => column.notNull())
    .addColumn("run_id", text)
    .addColumn("call_id", text)
    .addColumn("call_version", "integer")
    .addColumn("type", text, (column) => column.notNull())
    .addColumn("v", "integer", (column) => column.notNull())
    .addColumn("data", text)
    .addColumn("data_digest", text, (column) => column.notNull())
    .addColumn("prev_hash", text, (column) => column.notNull())
    .addColumn("hash", text, (column) => column.notNull())
    .addColumn("head_hash", text, (column) => column.notNull())
    .addUniqueConstraint("ledger_events_in_thread", ["thread_id", "thread_seq"])
    .addUniqueConstraint("ledger_events_in_call", ["call_id", "call_version"])
    .modifyEnd(end);
}

function calls(build: Kysely<unknown>, dialect: Dialect) {
  const { text, seq, end } = columns(dialect);
  return build.schema
    .createTable("ledger_calls")
    .addColumn("call_id", text, (column) => column.primaryKey())
    .addColumn("thread_id", text, (column) => column.notNull())
    .addColumn("tool_call_id", text, (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("is_answered", "integer", (column) => column.notNull())
    .addColumn("started_seq", seq, (column) => column.notNull())
    .addColumn("lease_owner", text)
    .addColumn("lease_until", text)
    .modifyEnd(end);
}

function approvals(build: Kysely<unknown>, dialect: Dialect) {
  const { text, seq, end } = columns(dialect);
  return build.schema
    .createTable("ledger_approvals")
    .addColumn("approval_id", text, (column) => column.primaryKey())
    .addColumn("call_id", text, (column) => column.notNull())
    .addColumn("thread_id", text, (column) => column.notNull())
    .addColumn("run_id", text)
    .addColumn("tool", text, (column) => column.notNull())
    .addColumn("status", text, (column) => column.notNull())
    .addColumn("checkpoint_id", text)
    .addColumn("request_seq", seq, (column) => column.notNull())
    .addColumn("expires_at", text)
    .addColumn("record", text, (column) => column.notNull())
    .modifyEnd(end);
}

function tips(build: Kysely<unknown>, dialect: Dialect): CompiledQuery[] {
  const { text, seq, end } = columns(dialect);
  const threads = build.schema
    .createTable("ledger_threads")
    .addColumn("thread_id", text, (column) => column.primaryKey())
    .addColumn("seq", seq, (column) => column.notNull())
    .addColumn("hash", text, (column) => column.notNull())
    .modifyEnd(end);
  const head = build.schema
    .createTable("ledger_head")
    .addColumn("id", "integer", (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn("seq", seq, (column) => column.notNull())
    .addColumn("hash", text, (column) => column.notNull())
    .modifyEnd(end);
  const start = (build as Kysely<LedgerTables>)
    .insertInto("ledger_head")
    .values({ id: 1, seq: 0, hash: CHAIN_START });
  return [threads.compile(), head.compile(), start.compile()];
}

function indexes(build: Kysely<unknown>): CompiledQuery[] {
  const index = (name: string, table: string, on: string[]) =>
    build.schema.createIndex(`${table}_${name}`).on(table).columns(on);
  return [
    index("by_status", "ledger_approvals", ["status", "request_seq"]),
    index("by_thread", "ledger_approvals", ["thread_id", "status", "request_seq"]),
    index("by_call", "ledger_approvals", ["call_id"]),
    // Not a partial index: SQLite would take the one by status, and sort.
    index("by_deadline", "ledger_approvals", ["status", "expires_at", "request_seq"]),
    index("unanswered", "ledger_calls", ["started_seq"]).where(sql<boolean>`is_answered = 0`),
    index("unanswered_of_thread", "ledger_calls", ["thread_id", "started_seq"]).where(
      sql<boolean>`is_answered = 0`,
    ),
  ].map((one) => one.compile());
}
