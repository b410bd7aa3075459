import type { Approval } from "./approval.ts";
import { evolve, type Call } from "./call.ts";
import { canonicalJson } from "./canonical.ts";
import { copyJson } from "./copy-json.ts";
import { eventHash, headHash, payloadDigest, type Tip } from "./chain.ts";
import { readPayload, versionOf, type LedgerEvent, type NewEvent } from "./event.ts";
import type { Batch } from "./ledger.ts";
import type { StoredEvent } from "./stored-event.ts";
import { takeChanges, type TakeRow } from "./take.ts";

/** A batch made ready to be written: rows with their places in both chains, and what they make of the call. */
export interface Sealed {
  batch: Batch;
  rows: StoredEvent[];
  events: LedgerEvent[];
  call: Call | null;
  /** The approvals of the call that these events opened, with the `seq` of the question, oldest first. */
  opened: { approval: Approval; request_seq: number }[];
  /** The approvals that were there before and changed. */
  changed: Approval[];
  /** What its questions take, and what is given back, or not any more. */
  taken: TakeRow[];
  settled: TakeRow[];
  head: Tip;
  thread: Tip;
}

/**
 * Puts the events of a batch behind the tips of both chains and folds them into the call. Pure.
 *
 * @throws {TypeError} when the events cannot belong where the batch says.
 */
export function seal(batch: Batch, tips: { head: Tip; thread: Tip }, call: Call | null): Sealed {
  if (call !== null && call.thread_id !== batch.thread_id) {
    throw new TypeError(`Call ${call.call_id} is of thread ${call.thread_id}, not of ${batch.thread_id}.`);
  }
  let { head, thread } = tips;
  let after = call;
  const rows: StoredEvent[] = [];
  const events: LedgerEvent[] = [];
  for (const event of batch.events) {
    const call_version = batch.call && batch.call.expected_version + rows.length + 1;
    const row = sealOne(batch, event, { head, thread, call_version });
    head = { seq: row.seq, hash: row.head_hash };
    thread = { seq: row.thread_seq, hash: row.hash };
    const { v, seq, thread_seq, at, thread_id, run_id, call_id, hash } = row;
    // Read back from its text, so that nobody holds on to a part of what the writer handed in.
    const payload = { type: row.type, data: JSON.parse(row.data ?? "null") as unknown } as NewEvent;
    const written: LedgerEvent = { ...payload, v, seq, thread_seq, at, thread_id, run_id, call_id, hash };
    if (batch.call) after = evolve(after, written);
    rows.push(row);
    events.push(written);
  }
  return {
    batch,
    rows,
    events,
    call: after,
    ...difference(call, after, events),
    ...takeChanges(call, after),
    head,
    thread,
  };
}

function sealOne(
  { at, thread_id, run_id, call }: Batch,
  event: NewEvent,
  { head, thread, call_version }: { head: Tip; thread: Tip; call_version: number | null },
): StoredEvent {
  // What is written must be readable later, so it is read first.
  const v = versionOf(event);
  const data = canonicalJson(readPayload(event.type, v, event.data).data);
  const link = {
    ...{ v, thread_seq: thread.seq + 1, at, thread_id, run_id },
    ...{ call_id: call?.call_id ?? null, call_version, type: event.type, data_digest: payloadDigest(data) },
  };
  const hash = eventHash(thread.hash, link);
  const head_hash = headHash(head.hash, hash);
  return { ...link, seq: head.seq + 1, data, prev_hash: thread.hash, hash, head_hash };
}

function difference(before: Call | null, after: Call | null, events: LedgerEvent[]) {
  const opened: Sealed["opened"] = [];
  const changed: Approval[] = [];
  for (const approval of after?.approvals ?? []) {
    const { approval_id } = approval;
    const asked = events.find(
      ({ type, data }) =>
        type === "approval_requested" && !data.announced && data.approval_id === approval_id,
    );
    if (asked) opened.push({ approval, request_seq: asked.seq });
    else if (!before?.approvals.includes(approval)) changed.push(approval);
  }
  return { opened, changed };
}

// NUL and halves of surrogate pairs: databases refuse or replace them, and the row would no longer match its hash.

const UNSTORABLE = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A text of the outside world as an index may hold it; the whole text stays in the record. */
export function indexable(text: string): string {
  return text.replace(UNSTORABLE, "\ufffd");
}

/** What batches made, as copies: nobody can change what a store holds through what was returned. */
export function copyOf(sealed: readonly Sealed[]): { calls: (Call | null)[]; events: LedgerEvent[] } {
  return copyJson({
    calls: sealed.map(({ call }) => call),
    events: sealed.flatMap(({ events }) => events),
  });
}
