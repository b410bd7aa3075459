import { Approval } from "./approval.ts";
import type { Call } from "./call.ts";
import { nextLook } from "./clock.ts";
import { groupId } from "./group.ts";
import { LedgerError, type ApprovalQuery, type Lease } from "./ledger.ts";
import { indexable } from "./seal.ts";

/** What a store keeps beside a call's events, to find it. Built from them, and checked against them by `verify`. */
export interface CallRow {
  call_id: string;
  thread_id: string;
  tool_call_id: string;
  version: number;
  is_answered: 0 | 1;
  /** The `seq` of its first event. */
  started_seq: number;
  lease_owner: string | null;
  lease_until: string | null;
}

/** What a store keeps to find approvals and to list them. */
export interface ApprovalRow {
  approval_id: string;
  call_id: string;
  thread_id: string;
  run_id: string | null;
  tool: string;
  status: string;
  checkpoint_id: string | null;
  /** The `seq` of the question. */
  request_seq: number;
  /** When somebody has to look at it again: see {@link nextLook}. */
  expires_at: string | null;
  /** `null` in no row that this version wrote. */
  args_digest: string | null;
  /** The person who decided, empty when nobody knows who; `null` where none did. */
  decider: string | null;
  /** The approval as JSON. */
  record: string;
}

/** The part of a call's row that follows from its events. */
export function callIndex(call: Call) {
  const { call_id, thread_id, tool_call_id, version, result } = call;
  const is_answered: 0 | 1 = result === null ? 0 : 1;
  return { call_id, thread_id, tool_call_id: indexable(tool_call_id), version, is_answered };
}

/** The part of an approval's row that follows from the approval. */
export function approvalIndex(approval: Approval): Omit<ApprovalRow, "request_seq"> {
  const { approval_id, call_id, thread_id, run_id, tool, status, checkpoint_id, args_digest } = approval;
  const expires_at = nextLook(approval);
  const said = Object.entries(approval).filter(([key, value]) => !isUnsaid(key, value));
  return {
    ...{ approval_id, call_id, thread_id, run_id, tool: indexable(tool), status, checkpoint_id, expires_at },
    args_digest,
    decider: deciderOf(approval),
    record: JSON.stringify(Object.fromEntries(said)),
  };
}

function deciderOf({ decision }: Approval): string | null {
  if (decision === null || decision.type === null || decision.decided_by.kind !== "user") return null;
  return decision.decided_by.id ?? "";
}

// What rows of older versions do not say, and others leave out where it is so; and what follows from the rest.
const UNSAID = {
  ...{ mask: [], quorum: 1, by: [], reviewers: null, separate_duties: false },
  ...{ on_timeout: "reject", escalate: [], escalated: 0, warned_at: null },
};

function isUnsaid(key: string, value: unknown): boolean {
  if (key === "group_id") return true;
  if (!Object.hasOwn(UNSAID, key)) return false;
  const unsaid: unknown = UNSAID[key as keyof typeof UNSAID];
  return Array.isArray(unsaid) ? Array.isArray(value) && value.length === 0 : value === unsaid;
}

/** A limit within its bounds; what is no number counts as not given. */
export function limitOf(
  limit: number | undefined,
  { standard, most }: { standard: number; most: number },
): number {
  if (limit === undefined || Number.isNaN(limit)) return standard;
  return Math.min(Math.max(Math.trunc(limit), 1), most);
}

export const GRANT_LIMIT = { standard: 100, most: 1_000 };
export const APPROVAL_LIMIT = { standard: 100, most: 1_000 };
export const EVENT_LIMIT = { standard: 1_000, most: 10_000 };

/** The cursor that goes on behind an approval. */
export function cursorAfter(request_seq: number): string {
  return `s${request_seq}`;
}

/**
 * The `request_seq` behind which a page begins.
 *
 * @throws {LedgerError} `bad_cursor`
 */
export function readCursor({ cursor }: Pick<ApprovalQuery, "cursor">): number {
  if (cursor === undefined) return 0;
  if (/^s[1-9]\d{0,14}$/.test(cursor)) return Number(cursor.slice(1));
  throw new LedgerError(
    "bad_cursor",
    `"cursor" is ${JSON.stringify(cursor)}, which no page gave. Pass a "next_cursor" as it was, or none.`,
  );
}

/** The lease on a call, if anybody has it. */
export function leaseIn(row: Pick<CallRow, "lease_owner" | "lease_until"> | undefined): Lease | null {
  if (!row || row.lease_owner === null || row.lease_until === null) return null;
  return { owner: row.lease_owner, until: row.lease_until };
}

/** An approval as a row keeps it. */
export function readApproval(record: string): Approval {
  const kept = Approval.parse({ ...UNSAID, group_id: null, ...(JSON.parse(record) as object) });
  return { ...kept, group_id: groupId(kept) };
}
