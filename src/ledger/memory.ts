import type { Approval } from "./approval.ts";
import type { Call } from "./call.ts";
import { ERASURE, sealErasure } from "./erase.ts";
import type { LedgerEvent, RecordedEvent } from "./event.ts";
import { MemoryGrants } from "./memory-grants.ts";
import { MemoryThreadStates } from "./memory-thread-states.ts";
import { MemoryTakes } from "./memory-takes.ts";
import { LedgerError } from "./ledger.ts";
import type { Appended, ApprovalQuery, Batch, Erasure, EventQuery, Lease, Ledger } from "./ledger.ts";
import type { Verification } from "./ledger.ts";
import { Listeners } from "./listeners.ts";
import { emptyTables, memorySnapshot, type MemoryTables } from "./memory-snapshot.ts";
import {
  APPROVAL_LIMIT,
  approvalIndex,
  callIndex,
  cursorAfter,
  EVENT_LIMIT,
  leaseIn,
  limitOf,
  readApproval,
} from "./query.ts";
import { readCursor, type ApprovalRow } from "./query.ts";
import { checkBatches, sealAll } from "./seal-all.ts";
import { copyOf, indexable, type Sealed } from "./seal.ts";
import { readEvent, readRecorded, type StoredEvent } from "./stored-event.ts";
import type { ThreadState } from "./thread-state.ts";
import { verify } from "./verify.ts";

/** A ledger that lives as long as the process. It loads no native module. */
export class MemoryLedger implements Ledger {
  readonly url = "memory:";
  readonly #tables = emptyTables();
  readonly #calls = new Map<string, Call>();
  readonly #states = new MemoryThreadStates();
  /** The ids of approvals that were erased with their threads. */
  readonly #erased = new Set<string>();
  readonly #takes = new MemoryTakes(this.#tables.takes);
  readonly remembered = new MemoryGrants(() => this.#open().approvals.values(), this.#takes);
  readonly #listeners = new Listeners();
  #isClosed = false;

  async append(batch: Batch): Promise<Appended> {
    const all = await this.appendAll([batch]);
    return all.ok ? { ok: true, events: all.events, call: all.calls[0] ?? null } : all;
  }

  async appendAll(batches: Batch[]): ReturnType<Ledger["appendAll"]> {
    const { head, threads } = this.#open();
    checkBatches(batches);
    for (const { call } of batches) {
      if (call && (this.#calls.get(call.call_id)?.version ?? 0) !== call.expected_version)
        return { ok: false };
    }
    if (!batches.every((batch) => this.#states.isModeAsSeen(batch))) return { ok: false };
    if (!batches.every((batch) => this.remembered.mayUse(batch))) return { ok: false, isSpent: true };
    const sealed = sealAll(batches, { head, threads, calls: this.#calls });
    const full = this.#takes.exceeded(batches, sealed);
    if (full) return { ok: false, full };
    for (const { uses_grant } of batches) this.remembered.use(uses_grant);
    for (const one of sealed) this.#write(one);
    const written = copyOf(sealed);
    this.#listeners.tell(written.events);
    return { ok: true, ...written };
  }

  #write(sealed: Sealed): void {
    this.remembered.write(sealed);
    this.#states.write(sealed);
    this.#takes.write(sealed);
    const { batch, rows, call, opened, changed, head, thread } = sealed;
    const { events, threads, calls, approvals } = this.#tables;
    events.push(...rows);
    if (rows.length > 0) threads.set(batch.thread_id, thread);
    this.#tables.head = head;
    if (call === null) return;
    this.#calls.set(call.call_id, call);
    const old = calls.get(call.call_id);
    const started_seq = old?.started_seq ?? rows[0]?.seq ?? 0;
    const { owner: lease_owner = null, until: lease_until = null } = batch.lease ?? leaseIn(old) ?? {};
    calls.set(call.call_id, { ...callIndex(call), started_seq, lease_owner, lease_until });
    for (const { approval, request_seq } of opened) {
      approvals.set(approval.approval_id, { ...approvalIndex(approval), request_seq });
    }
    for (const approval of changed) {
      const request_seq = approvals.get(approval.approval_id)?.request_seq ?? 0;
      approvals.set(approval.approval_id, { ...approvalIndex(approval), request_seq });
    }
  }

  async erase(thread_id: string, erasure: Erasure): Promise<number> {
    const { head, threads, events, approvals } = this.#open();
    const isHeld = (row: StoredEvent) =>
      row.thread_id === thread_id && row.data !== null && row.type !== ERASURE;
    const count = events.filter(isHeld).length;
    if (count === 0) return 0;
    // Rows are replaced, not changed: a snapshot may hold them.
    for (const [index, row] of events.entries()) if (isHeld(row)) events[index] = { ...row, data: null };
    const sealed = sealErasure(thread_id, erasure, { head, thread: threads.get(thread_id), count });
    this.#write(sealed);
    for (const row of approvals.values()) if (row.thread_id === thread_id) this.#letGo(row);
    this.remembered.forget(thread_id);
    this.#states.forget(thread_id);
    for (const [id, call] of this.#calls) if (call.thread_id === thread_id) this.#forget(id);
    this.#listeners.tell(structuredClone(sealed.events));
    return count;
  }

  #letGo({ approval_id }: ApprovalRow): void {
    this.#tables.approvals.delete(approval_id);
    this.#erased.add(approval_id);
  }

  #forget(call_id: string): void {
    this.#tables.calls.delete(call_id);
    this.#calls.delete(call_id);
  }

  async thread(thread_id: string): Promise<ThreadState> {
    this.#open();
    return this.#states.of(thread_id);
  }

  async isErased(approval_id: string): Promise<boolean> {
    this.#open();
    return this.#erased.has(approval_id);
  }

  async call(call_id: string): Promise<Call | null> {
    this.#open();
    return structuredClone(this.#calls.get(call_id) ?? null);
  }

  async callOf(approval_id: string): Promise<Call | null> {
    const row = this.#open().approvals.get(approval_id);
    return row ? this.call(row.call_id) : null;
  }

  async approval(approval_id: string): Promise<Approval | null> {
    const call = await this.callOf(approval_id);
    return call?.approvals.find((one) => one.approval_id === approval_id) ?? null;
  }

  async approvals(query: ApprovalQuery): Promise<{ approvals: Approval[]; next_cursor: string | null }> {
    const after = readCursor(query);
    const limit = limitOf(query.limit, APPROVAL_LIMIT);
    const rows = this.#matching(query).filter(({ request_seq }) => request_seq > after);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const next_cursor = last && rows.length > limit ? cursorAfter(last.request_seq) : null;
    return { approvals: page.map(readRecord), next_cursor };
  }

  async countApprovals(query: ApprovalQuery): Promise<number> {
    return this.#matching(query).length;
  }

  #matching(query: ApprovalQuery): ApprovalRow[] {
    const { status = "pending", thread_id, run_id, tool, checkpoint_id, among } = query;
    const isWanted = (row: ApprovalRow) =>
      among === undefined &&
      (status === "all" || row.status === status) &&
      (thread_id === undefined || row.thread_id === thread_id) &&
      (run_id === undefined || row.run_id === run_id) &&
      (tool === undefined || row.tool === indexable(tool)) &&
      (checkpoint_id === undefined || row.checkpoint_id === checkpoint_id);
    return [...this.#open().approvals.values()].filter(isWanted);
  }

  async due(at: string, limit: number): Promise<Approval[]> {
    const rows = this.#matching({}).filter(({ expires_at }) => expires_at !== null && expires_at <= at);
    return rows.sort(byDeadline).slice(0, limitOf(limit, APPROVAL_LIMIT)).map(readRecord);
  }

  async nextDeadline(): Promise<string | null> {
    const rows = this.#matching({}).filter(({ expires_at }) => expires_at !== null);
    return rows.sort(byDeadline)[0]?.expires_at ?? null;
  }

  async openCalls(thread_id?: string): Promise<Call[]> {
    this.#open();
    const isWanted = (call: Call) =>
      call.result === null && (thread_id === undefined || call.thread_id === thread_id);
    return structuredClone([...this.#calls.values()].filter(isWanted));
  }

  async events(query: EventQuery): Promise<LedgerEvent[]> {
    return this.#page(query, (row) => row.data !== null).map(readEvent);
  }

  async record(query: EventQuery): Promise<RecordedEvent[]> {
    return this.#page(query, () => true).map((row) => readRecorded(row, row.data === null));
  }

  #page(
    { thread_id, call_id, among, after = 0, limit }: EventQuery,
    isShown: (row: StoredEvent) => boolean,
  ): StoredEvent[] {
    const isWanted = (row: StoredEvent) =>
      among === undefined &&
      row.seq > after &&
      (thread_id === undefined || row.thread_id === thread_id) &&
      (call_id === undefined || row.call_id === call_id);
    const found = this.#open().events.filter((row) => isWanted(row) && isShown(row));
    return found.slice(0, limitOf(limit, EVENT_LIMIT));
  }

  async verify(options: { head?: string; thread_id?: string } = {}): Promise<Verification> {
    return verify(memorySnapshot(this.#open(), options.thread_id), options);
  }

  async head(): Promise<{ seq: number; hash: string }> {
    return { ...this.#open().head };
  }

  async lease(call_id: string): Promise<Lease | null> {
    return leaseIn(this.#open().calls.get(call_id));
  }

  async renewLease(call_id: string, lease: Lease): Promise<boolean> {
    const { calls } = this.#open();
    const row = calls.get(call_id);
    if (row?.lease_owner !== lease.owner) return false;
    calls.set(call_id, { ...row, lease_until: lease.until });
    return true;
  }

  subscribe(listener: (events: LedgerEvent[]) => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
  }

  #open(): MemoryTables {
    if (this.#isClosed) throw new LedgerError("closed", "The ledger memory: is closed. Open it again.");
    return this.#tables;
  }
}

function byDeadline(a: ApprovalRow, b: ApprovalRow): number {
  const [first, second] = [a.expires_at ?? "", b.expires_at ?? ""];
  return first < second ? -1 : first > second ? 1 : a.request_seq - b.request_seq;
}

function readRecord(row: ApprovalRow): Approval {
  return readApproval(row.record);
}
