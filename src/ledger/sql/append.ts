import { evolve, type Call } from "../call.ts";
import type { Tip } from "../chain.ts";
import { LedgerError, type Batch } from "../ledger.ts";
import { approvalIndex, callIndex, type ApprovalRow, type CallRow } from "../query.ts";
import { sealAll } from "../seal-all.ts";
import type { Sealed } from "../seal.ts";
import { readChecked, type StoredEvent } from "../stored-event.ts";
import type { ThreadTip } from "../walk.ts";
import type { CallCache } from "./call-cache.ts";
import type { Dialect, Work } from "./database.ts";
import { useGrant, writeGrants } from "./grants.ts";
import { Operation } from "./operation.ts";
import { isModeAsSeen, writeThreadState } from "./thread-states.ts";
import { eventsOfCall } from "./read.ts";
import { checkRoom, writeTakes } from "./takes.ts";

/** A grant has no use left, or has ended. Thrown, so that nothing of the work stays. */
export class GrantSpent extends Error {}

/**
 * Writes batches, all or none: the places in the chains, the events, and the rows that list calls and approvals.
 * Undefined when one of the calls has another version by now.
 */
export function* append(dialect: Dialect, batches: Batch[], cache: CallCache): Work<Sealed[] | undefined> {
  const head = yield* lockedHead(dialect);
  const calls = new Map<string, Call | null>();
  const threads = new Map<string, Tip>();
  for (const { call, thread_id } of batches) {
    if (call) {
      const version = (yield* versionOf.row(dialect, call))?.version ?? 0;
      if (version !== call.expected_version) return undefined;
      calls.set(call.call_id, yield* current(dialect, cache, call));
    }
    const tip = yield* threadTip.row(dialect, { thread_id });
    if (tip) threads.set(thread_id, tip);
  }
  for (const batch of batches) if (!(yield* isModeAsSeen(dialect, batch))) return undefined;
  for (const { uses_grant, at } of batches)
    if (uses_grant !== undefined && !(yield* useGrant(dialect, uses_grant, at))) throw new GrantSpent();
  const sealed = sealAll(batches, { head, threads, calls });
  for (const one of sealed) yield* write(dialect, one);
  for (const { limits = [] } of batches) yield* checkRoom(dialect, limits);
  const last = sealed.at(-1);
  if (last && last.head.seq > head.seq) yield* moveHead.rows(dialect, last.head);
  return sealed;
}

/** The head, which nobody else moves until this work is done. @throws {LedgerError} `tampered` */
export function* lockedHead(dialect: Dialect): Work<Tip> {
  const head = yield* lockHead.row(dialect, {});
  if (head) return { seq: head.seq, hash: head.hash };
  throw new LedgerError("tampered", "The ledger's head is missing. Restore the store from a backup.");
}

function* current(dialect: Dialect, cache: CallCache, call: NonNullable<Batch["call"]>): Work<Call | null> {
  if (call.expected_version === 0) return null;
  const known = cache.get(call.call_id, call.expected_version);
  if (known) return known;
  const rows = yield* eventsOfCall.rows(dialect, call);
  return rows.map(readChecked).reduce<Call | null>(evolve, null);
}

/** Writes the rows of a sealed batch, and what lists them; the head is moved by whoever calls this. */
export function* write(dialect: Dialect, sealed: Sealed): Work<void> {
  const { batch, rows, call, opened, changed, thread } = sealed;
  for (const row of rows) yield* insertEvent.rows(dialect, row);
  yield* writeGrants(dialect, sealed);
  yield* writeThreadState(dialect, sealed);
  yield* writeTakes(dialect, sealed);
  const [first] = rows;
  if (first) {
    const { thread_id } = batch;
    yield* (first.thread_seq === 1 ? insertThread : moveThread).rows(dialect, { thread_id, ...thread });
  }
  if (call === null || !batch.call) return;
  const index = callIndex(call);
  const { owner: lease_owner = null, until: lease_until = null } = batch.lease ?? {};
  if (first && batch.call.expected_version === 0) {
    yield* insertCall.rows(dialect, { ...index, started_seq: first.seq, lease_owner, lease_until });
  } else if (batch.lease) yield* updateClaimed.rows(dialect, { ...index, lease_owner, lease_until });
  else if (first) yield* updateCall.rows(dialect, index);
  for (const { approval, request_seq } of opened) {
    yield* insertApproval.rows(dialect, { ...approvalIndex(approval), request_seq });
  }
  for (const approval of changed) yield* updateApproval.rows(dialect, approvalIndex(approval));
}

// The head is locked first, so that on PostgreSQL one writer after the other goes through; SQLite has one anyway.
const lockHead = new Operation((build, _given: object, dialect) => {
  const query = build.selectFrom("ledger_head").select(["seq", "hash"]);
  return dialect === "postgres" ? query.forUpdate() : query;
});

export const moveHead = new Operation((build, { seq, hash }: Tip) =>
  build.updateTable("ledger_head").set({ seq, hash }),
);

export const threadTip = new Operation((build, { thread_id }: { thread_id: string }) =>
  build.selectFrom("ledger_threads").select(["seq", "hash"]).where("thread_id", "=", thread_id),
);

const insertThread = new Operation((build, { thread_id, seq, hash }: ThreadTip) =>
  build.insertInto("ledger_threads").values({ thread_id, seq, hash }),
);

const moveThread = new Operation((build, { thread_id, seq, hash }: ThreadTip) =>
  build.updateTable("ledger_threads").set({ seq, hash }).where("thread_id", "=", thread_id),
);

const versionOf = new Operation((build, { call_id }: { call_id: string }) =>
  build.selectFrom("ledger_calls").select("version").where("call_id", "=", call_id),
);

const insertEvent = new Operation((build, given: StoredEvent) => {
  const { seq, thread_id, thread_seq, at, run_id, call_id, call_version, type, v } = given;
  const { data, data_digest, prev_hash, hash, head_hash } = given;
  const place = { seq, thread_id, thread_seq, at, run_id, call_id, call_version, type, v };
  return build
    .insertInto("ledger_events")
    .values({ ...place, data, data_digest, prev_hash, hash, head_hash });
});

type CallIndex = ReturnType<typeof callIndex>;

const insertCall = new Operation((build, given: CallRow) => {
  const { call_id, thread_id, tool_call_id, version, is_answered } = given;
  const { started_seq, lease_owner, lease_until } = given;
  const row = { call_id, thread_id, tool_call_id, version, is_answered };
  return build.insertInto("ledger_calls").values({ ...row, started_seq, lease_owner, lease_until });
});

const updateCall = new Operation((build, { call_id, version, is_answered }: CallIndex) =>
  build.updateTable("ledger_calls").set({ version, is_answered }).where("call_id", "=", call_id),
);

const updateClaimed = new Operation(
  (build, given: CallIndex & Pick<CallRow, "lease_owner" | "lease_until">) => {
    const { call_id, version, is_answered, lease_owner, lease_until } = given;
    return build
      .updateTable("ledger_calls")
      .set({ version, is_answered, lease_owner, lease_until })
      .where("call_id", "=", call_id);
  },
);

const insertApproval = new Operation((build, given: ApprovalRow) => {
  const { approval_id, call_id, thread_id, run_id, tool, status } = given;
  const { checkpoint_id, request_seq, expires_at, args_digest, decider, record } = given;
  const row = { approval_id, call_id, thread_id, run_id, tool, status };
  return build
    .insertInto("ledger_approvals")
    .values({ ...row, checkpoint_id, request_seq, expires_at, args_digest, decider, record });
});

const updateApproval = new Operation(
  (build, { approval_id, status, expires_at, decider, record }: Omit<ApprovalRow, "request_seq">) =>
    build
      .updateTable("ledger_approvals")
      .set({ status, expires_at, decider, record })
      .where("approval_id", "=", approval_id),
);
