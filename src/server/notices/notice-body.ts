import type { Approval } from "../../ledger/index.ts";

/** What is sent of one approval: how it stands, as people see it, and where it can be looked at. */
export interface Told {
  approval: Approval;
  link: string;
}

/** At most so many approvals stand in a digest; `count` says how many there are. */
const MOST = 100;

interface Digest {
  type: "approval.digest";
  timestamp: string;
  data: { count: number; approvals: Told[]; link: string };
}

/** The body of a notice about one approval, as JSON. `timestamp`: when it happened. */
export function noticeBody(type: string, timestamp: string, told: Told): string {
  return JSON.stringify({ type: `approval.${type}`, timestamp, data: told });
}

/** The body of the notice about all approvals that were asked quietly, as JSON. */
export function digestBody(timestamp: string, told: readonly Told[], link: string): string {
  const data = { count: told.length, approvals: told.slice(0, MOST), link };
  return JSON.stringify({ type: "approval.digest", timestamp, data } satisfies Digest);
}

/** A digest without the approvals of a thread: as it was where it had none, and `null` where it has no others. */
export function withoutThread(body: string, thread_id: string): string | null {
  const digest = JSON.parse(body) as Digest;
  const { approvals, count } = digest.data;
  const left = approvals.filter(({ approval }) => approval.thread_id !== thread_id);
  if (left.length === approvals.length) return body;
  const gone = approvals.length - left.length;
  if (left.length === 0) return null;
  return JSON.stringify({ ...digest, data: { ...digest.data, count: count - gone, approvals: left } });
}
