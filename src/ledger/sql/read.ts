import { sql, type Kysely } from "kysely";
import type { Approval } from "../approval.ts";
import { evolve, type Call } from "../call.ts";
import { LedgerError, type ApprovalQuery, type EventQuery, type Lease } from "../ledger.ts";
import { APPROVAL_LIMIT, EVENT_LIMIT, limitOf, readApproval, readCursor } from "../query.ts";
import { indexable } from "../seal.ts";
import { readChecked, VERIFY, type StoredEvent } from "../stored-event.ts";
import { isAmong, type ThreadIds } from "./among.ts";
import type { CallCache } from "./call-cache.ts";
import type { Dialect, Work } from "./database.ts";
import { isErasedCall, isThere } from "./erased.ts";
import { Operation } from "./operation.ts";
import type { LedgerTables } from "./tables.ts";

export const headRow = new Operation((build, _given: object) =>
  build.selectFrom("ledger_head").select(["seq", "hash"]),
);

export const eventsOfCall = new Operation((build, { call_id }: { call_id: string }) =>
  build.selectFrom("ledger_events").selectAll().where("call_id", "=", call_id).orderBy("call_version"),
);

/** A call from its events, each checked against its own hash, or against what was written here. */
export function* readCall(dialect: Dialect, call_id: string, cache: CallCache): Work<Call | null> {
  const rows = yield* eventsOfCall.rows(dialect, { call_id });
  const known = cache.of(rows);
  if (known) return known;
  return (yield* isErasedCall(dialect, rows)) ? null : foldCall(rows);
}

/** What the events of one call make of it. @throws {LedgerError} `tampered` */
export function foldCall(rows: StoredEvent[]): Call | null {
  const events = rows.map(readChecked);
  try {
    return events.reduce<Call | null>(evolve, null);
  } catch (cause) {
    const message = `The events of call ${rows[0]?.call_id ?? ""} do not follow from each other: the ledger was tampered with. ${VERIFY}`;
    throw new LedgerError("tampered", message, { cause });
  }
}

export const callIdOf = new Operation((build, { approval_id }: { approval_id: string }) =>
  build.selectFrom("ledger_approvals").select("call_id").where("approval_id", "=", approval_id),
);

/** One approval more than a page holds, which tells whether there is another page. */
export function approvalPage(dialect: Dialect, query: ApprovalQuery) {
  const limit = limitOf(query.limit, APPROVAL_LIMIT);
  const given = { ...valuesOf(query), after: readCursor(query), most: limit + 1 };
  return { limit, query: shapeOf(query).page.query(dialect, given) };
}

export function approvalCount(dialect: Dialect, query: ApprovalQuery) {
  return shapeOf(query).count.query(dialect, valuesOf(query));
}

type Wanted = ReturnType<typeof valuesOf>;

/** The queries for one set of conditions: they differ by which conditions there are, not by their values. */
interface Shape {
  page: Operation<Wanted & { after: number; most: number }, { record: string; request_seq: number }>;
  count: Operation<Wanted, { count: number }>;
}

const shapes = new Map<string, Shape>();

function shapeOf(query: ApprovalQuery): Shape {
  const columns = Object.keys(valuesOf(query)) as (keyof Wanted)[];
  // Threads are named by a query of somebody else's, which is written out each time.
  if (query.among !== undefined) return newShape(columns, query.among);
  const key = columns.join();
  const shape = shapes.get(key) ?? newShape(columns);
  shapes.set(key, shape);
  return shape;
}

function newShape(columns: readonly (keyof Wanted)[], among?: ThreadIds): Shape {
  return {
    page: new Operation((build, given) =>
      matching(build, columns, given, among)
        .select(["record", "request_seq"])
        .where("request_seq", ">", given.after)
        .orderBy("request_seq")
        .limit(given.most),
    ),
    count: new Operation((build, given) =>
      matching(build, columns, given, among).select(({ fn }) => fn.countAll<number>().as("count")),
    ),
  };
}

function matching(
  build: Kysely<LedgerTables>,
  columns: readonly (keyof Wanted)[],
  given: Wanted,
  among: ThreadIds | undefined,
) {
  let wanted = build.selectFrom("ledger_approvals");
  if (among !== undefined) wanted = wanted.where(isAmong(among));
  for (const column of columns) wanted = wanted.where(column, "=", given[column] as never);
  return wanted;
}

/** The columns that a query asks for, and only those. */
function valuesOf({ status = "pending", thread_id, run_id, tool, checkpoint_id }: ApprovalQuery) {
  return {
    ...(status !== "all" && { status }),
    ...(thread_id !== undefined && { thread_id }),
    ...(run_id !== undefined && { run_id }),
    ...(tool !== undefined && { tool: indexable(tool) }),
    ...(checkpoint_id !== undefined && { checkpoint_id }),
  };
}

export const dueApprovals = new Operation((build, { at, limit }: { at: string; limit: number }) =>
  withDeadline(build)
    .select("record")
    .where("expires_at", "<=", at)
    .orderBy("expires_at")
    .orderBy("request_seq")
    .limit(limit),
);

/** What became of the same call before: settled questions about a tool with these very arguments, the newest first. */
export const settledLike = new Operation((build, given: { tool: string; args_digest: string }, dialect) =>
  build
    .selectFrom("ledger_approvals")
    .select("record")
    .where("tool", "=", given.tool)
    .where("args_digest", "=", given.args_digest)
    .where("status", "!=", "pending")
    .where(kindOfDecider(dialect), "!=", "policy")
    .orderBy("request_seq", "desc")
    .limit(50),
);

/** Of what kind whoever decided an approval is. */
function kindOfDecider(dialect: Dialect) {
  return dialect === "sqlite"
    ? sql<string>`json_extract(record, '$.decision.decided_by.kind')`
    : sql<string>`(record::json)#>>'{decision,decided_by,kind}'`;
}

export const settledLikeIn = new Operation(
  (build, given: { tool: string; args_digest: string; thread_id: string }, dialect) =>
    build
      .selectFrom("ledger_approvals")
      .select("record")
      .where("tool", "=", given.tool)
      .where("args_digest", "=", given.args_digest)
      .where("thread_id", "=", given.thread_id)
      .where("status", "!=", "pending")
      .where(kindOfDecider(dialect), "!=", "policy")
      .orderBy("request_seq", "desc")
      .limit(50),
);

/** What a person decided, the newest first. */
export const decisionsOf = new Operation((build, { decider }: { decider: string }) =>
  build
    .selectFrom("ledger_approvals")
    .select("record")
    .where("decider", "=", decider)
    .orderBy("request_seq", "desc")
    .limit(1_000),
);

export const nextDeadline = new Operation((build, _given: object) =>
  withDeadline(build).select("expires_at").orderBy("expires_at").limit(1),
);

function withDeadline(build: Kysely<LedgerTables>) {
  return build
    .selectFrom("ledger_approvals")
    .where("status", "=", "pending")
    .where("expires_at", "is not", null);
}

/** The ids of calls without a result, oldest first. */
export const unanswered = new Operation((build, _given: object) => openCalls(build));

export const unansweredOf = new Operation((build, { thread_id }: { thread_id: string }) =>
  openCalls(build).where("thread_id", "=", thread_id),
);

function openCalls(build: Kysely<LedgerTables>) {
  return (
    build
      .selectFrom("ledger_calls")
      .select("call_id")
      // A literal, as in the partial index that answers it.
      .where(sql<boolean>`is_answered = 0`)
      .orderBy("started_seq")
  );
}

/** Events that were not erased. */
export function eventPage(build: Kysely<LedgerTables>, query: EventQuery) {
  return recordPage(build, query).where(isThere).compile();
}

/** All events. */
export function recordPage(build: Kysely<LedgerTables>, query: EventQuery) {
  const { thread_id, call_id, among, after = 0, limit } = query;
  let page = build.selectFrom("ledger_events").selectAll().where("seq", ">", after);
  if (thread_id !== undefined) page = page.where("thread_id", "=", thread_id);
  if (call_id !== undefined) page = page.where("call_id", "=", call_id);
  if (among !== undefined) page = page.where(isAmong(among));
  return page.orderBy("seq").limit(limitOf(limit, EVENT_LIMIT));
}

/** The approval of a row. @throws {LedgerError} `tampered` */
export function readRow({ record }: { record: string }): Approval {
  try {
    return readApproval(record);
  } catch (cause) {
    const message = `The list of approvals holds a row that is none. ${VERIFY}`;
    throw new LedgerError("tampered", message, { cause });
  }
}

export const leaseOf = new Operation((build, { call_id }: { call_id: string }) =>
  build.selectFrom("ledger_calls").select(["lease_owner", "lease_until"]).where("call_id", "=", call_id),
);

export const renewLease = new Operation((build, { call_id, owner, until }: Lease & { call_id: string }) =>
  build
    .updateTable("ledger_calls")
    .set({ lease_until: until })
    .where("call_id", "=", call_id)
    .where("lease_owner", "=", owner)
    .returning("call_id"),
);
