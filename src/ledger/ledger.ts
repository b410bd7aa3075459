import type { Approval } from "./approval.ts";
import type { Call } from "./call.ts";
import type { Grant } from "./grant.ts";
import type { Work } from "./sql/database.ts";
import type { DecidedBy } from "./decision.ts";
import type { ApprovalStatus, LedgerEvent, NewEvent, RecordedEvent } from "./event.ts";
import type { ThreadIds } from "./sql/among.ts";
import type { ThreadState } from "./thread-state.ts";
import type { Limit } from "./take.ts";

/** Events of one thread that are written together or not at all. */
export interface Batch {
  /** ISO 8601 with milliseconds, UTC. The writer's clock: every event of the batch gets it. */
  at: string;
  thread_id: string;
  run_id: string | null;
  /**
   * The call that the events belong to, with the version it had when they were decided. `null` for events of a run.
   * When the call has another version by now, nothing is written.
   */
  call: { call_id: string; expected_version: number } | null;
  events: NewEvent[];
  /** Whether the commit waits for the disk. Default: when something that cannot be undone depends on the events. */
  force?: boolean;
  /** What else of the ledger's own database is written in the same commit. A ledger in memory has none. */
  along?: () => Work<unknown>;
  /** The grant that decides the call here. Nothing is written when it has no use left, or has ended. */
  uses_grant?: string;
  /** How much the questions of the batch may take, with all that was taken before. Nothing is written beyond it. */
  limits?: Limit[];
  /** The thread's `mode_seq` as the writer saw it. When its mode was set anew since then, nothing is written. */
  mode_seen?: number;
  /** Who runs the call from now on, and until when without a renewal. Only with an execution. */
  lease?: Lease;
}

export interface Lease {
  owner: string;
  /** ISO 8601. */
  until: string;
}

/** What became of a batch. `call` is the call after its events. */
export type Appended =
  | { ok: true; events: LedgerEvent[]; call: Call | null }
  /** Somebody else wrote to the call first: read it again and decide anew. */
  | NotAppended;

/** Nothing was written. `isSpent`: the grant has no use left; `full`: the limit in which there is no room. */
export interface NotAppended {
  ok: false;
  isSpent?: true;
  full?: Limit;
}

export interface ApprovalQuery {
  status?: ApprovalStatus | "all";
  thread_id?: string;
  run_id?: string;
  tool?: string;
  checkpoint_id?: string;
  /** Only of these threads. */
  among?: ThreadIds;
  /** From 1 to 1,000. Default 100. */
  limit?: number;
  cursor?: string;
}

export interface EventQuery {
  thread_id?: string;
  call_id?: string;
  /** Only of these threads. */
  among?: ThreadIds;
  /** Only events with a larger `seq`. */
  after?: number;
  /** From 1 to 10,000. Default 1,000. */
  limit?: number;
}

/** What decisions leave for later calls: grants, and how the same call ended before. */
export interface Remembered {
  /**
   * Settled questions about a tool with these very arguments, the newest first, at most 50; of one thread, or of all.
   * Those that policy settled itself are left out, however many: they are no word of anybody.
   */
  settledLike(call: { tool: string; args_digest: string; thread_id?: string }): Promise<Approval[]>;

  /** Remembered decisions, oldest first. @throws {LedgerError} `bad_cursor` */
  grants(query: GrantQuery): Promise<{ grants: Grant[]; next_cursor: string | null }>;

  grant(grant_id: string, at: string): Promise<Grant | null>;

  /** Grants that hold at that time and may speak of a call, the newest first, at most 1,000. */
  grantsFor(call: GrantsFor): Promise<Grant[]>;

  /** Questions that a person decided since a time (ISO 8601), the newest first, at most 1,000. `decider`: empty for those whom nobody knows. */
  decidedBy(person: { decider: string; since: string }): Promise<Approval[]>;

  /** What counts at a limit now, oldest first. */
  taken(limit: Omit<Limit, "up_to">): Promise<{ at: string; amount: number }[]>;
}

export interface GrantQuery {
  /** Those that hold or wait; default: all. */
  status?: "active" | "all";
  /** The time by which their ends are judged, ISO 8601. */
  at: string;
  /** From 1 to 1,000. Default 100. */
  limit?: number;
  cursor?: string;
}

/** Which grants may speak of a call. */
export interface GrantsFor {
  tool: string;
  thread_id: string;
  /** Who asked for it. */
  user: string | null;
  at: string;
}

/** What {@link Ledger.verify} found. */
export interface Verification {
  ok: boolean;
  threads: number;
  events: number;
  /** How many of the events have no payload any more, since their threads were erased. */
  erased: number;
  /** The hash over everything: publish it, and nobody can rewrite what came before unseen. */
  head: string;
  broken: { thread_id: string | null; seq: number | null; problem: string }[];
}

/** Who has the payloads of a thread erased, and when. */
export interface Erasure {
  /** ISO 8601 with milliseconds, UTC. */
  at: string;
  by: DecidedBy;
  /** What else is written in the same commit. A ledger in memory has nothing. */
  along?: () => Work<unknown>;
}

/**
 * The append-only record. Each implementation passes the same suite, `tests/ledger/contract.ts`.
 *
 * Events of one thread form a hash chain, and all events of all threads form another one, whose newest hash is the head.
 */
export interface Ledger {
  /** Where it is kept, with no password in it. */
  readonly url: string;

  /** Writes a batch, committed when the promise resolves. Two batches for one version of a call: one wins. */
  append(batch: Batch): Promise<Appended>;

  /** Writes several batches, of one thread or several, together or not at all. Each is of another call. */
  appendAll(
    batches: Batch[],
  ): Promise<{ ok: true; calls: (Call | null)[]; events: LedgerEvent[] } | NotAppended>;

  /** A call, built from its events, each checked against its own hash. @throws {LedgerError} `tampered` */
  call(call_id: string): Promise<Call | null>;

  /** The call that an approval asks about. */
  callOf(approval_id: string): Promise<Call | null>;

  approval(approval_id: string): Promise<Approval | null>;

  /** Approvals by time of asking, oldest first. @throws {LedgerError} `bad_cursor` */
  approvals(query: ApprovalQuery): Promise<{ approvals: Approval[]; next_cursor: string | null }>;

  /** How many approvals match, of whatever age. `limit` and `cursor` do not count. */
  countApprovals(query: ApprovalQuery): Promise<number>;

  /** Pending approvals whose time is up at `at`, at most `limit`. */
  due(at: string, limit: number): Promise<Approval[]>;

  /** When the next pending approval's time is up, if any has an end. */
  nextDeadline(): Promise<string | null>;

  /**
   * Calls without a tool result, oldest first: of one thread, or of all. With `onTampered`, a call that cannot be
   * trusted is told of and left out, so that it does not stand in the way of the others.
   *
   * @throws {LedgerError} `tampered`, `newer_event`, without `onTampered`
   */
  openCalls(thread_id?: string, options?: { onTampered?: (error: LedgerError) => void }): Promise<Call[]>;

  /** What decisions leave for later calls. */
  readonly remembered: Remembered;

  /** What holds on a thread beside its calls. */
  thread(thread_id: string): Promise<ThreadState>;

  /** Events by `seq`, without those that were erased. */
  events(query: EventQuery): Promise<LedgerEvent[]>;

  /** Events by `seq`, also those that were erased, of which the payload is missing. */
  record(query: EventQuery): Promise<RecordedEvent[]>;

  /**
   * Erases what the events of a thread hold, arguments and results among them, and lets go of its calls and approvals.
   * Types, times, digests and hashes stay, so the chains hold; a `thread_erased` event says who did it. What is open is
   * closed before, by whoever calls this.
   *
   * @returns how many payloads there were. With none, nothing is written but `along`.
   */
  erase(thread_id: string, erasure: Erasure): Promise<number>;

  /** Whether an approval was there, and was erased with its thread. */
  isErased(approval_id: string): Promise<boolean>;

  verify(options?: { head?: string; thread_id?: string }): Promise<Verification>;

  /** The newest hash over everything and the number of events it covers. */
  head(): Promise<{ seq: number; hash: string }>;

  lease(call_id: string): Promise<Lease | null>;

  /** Moves the end of a lease; false when it is somebody else's by now. */
  renewLease(call_id: string, lease: Lease): Promise<boolean>;

  /** Calls `listener` after each batch that was written through this object. Returns how to stop. */
  subscribe(listener: (events: LedgerEvent[]) => void): () => void;

  close(): Promise<void>;
}

export type LedgerErrorCode =
  | "bad_url" // the address is none of file:, memory:, postgres:
  | "unwritable" // the store cannot be opened or written
  | "newer_schema" // a later version of this package made it
  | "newer_event"
  | "tampered" // a row does not match its hash
  | "bad_cursor"
  | "closed";

/** What went wrong with the store. `message` says what, where, and whose move it is. */
export class LedgerError extends Error {
  readonly code: LedgerErrorCode;
  constructor(code: LedgerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LedgerError";
    this.code = code;
  }
}
