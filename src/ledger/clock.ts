import type { Approval } from "./approval.ts";

/** A clock shorter than this ends without a warning, in milliseconds. */
const SHORTEST_WARNED_MS = 60_000;

/** What happens when a question goes to its next group. */
export interface Escalation {
  approval_id: string;
  group: string;
  /** All who may decide from now on; `null`: everybody who reviews. */
  reviewers: string[] | null;
  expires_at: string;
  /** How many groups it has gone to by now. */
  level: number;
}

/** Whether an approval's time is up at `at`. */
export function isOver({ expires_at }: Pick<Approval, "expires_at">, at: string): boolean {
  return expires_at !== null && at >= expires_at;
}

/** Where a question whose time is up goes next; `null`: nowhere, or it does not go on. */
export function nextEscalation(approval: Approval, at: string): Escalation | null {
  const { approval_id, on_timeout, escalate, escalated, reviewers } = approval;
  const next = escalate[escalated];
  const ms = clockOf(approval);
  if (on_timeout !== "escalate" || next === undefined || ms === null) return null;
  return {
    approval_id,
    group: next.group,
    // Where everybody may decide, nobody is added: the next group is only told.
    reviewers: reviewers && [...new Set([...reviewers, ...next.reviewers])].sort(),
    expires_at: new Date(Date.parse(at) + ms).toISOString(),
    level: escalated + 1,
  };
}

/** An approval after it has gone to its next group, with a clock of its own. */
export function escalatedTo(approval: Approval, { reviewers, expires_at, level }: Escalation): Approval {
  return { ...approval, reviewers, expires_at, escalated: level, warned_at: null };
}

/** Whether it is to be told now that little time is left: once for each clock, when three quarters of it are over. */
export function isWarningDue(approval: Approval, at: string): boolean {
  const time = warningTime(approval);
  return time !== null && at >= time && !isOver(approval, at);
}

/** When somebody has to look at a pending approval again: to warn, or to end it. `null`: it has no end. */
export function nextLook(approval: Approval): string | null {
  return approval.status === "pending" ? (warningTime(approval) ?? approval.expires_at) : approval.expires_at;
}

function warningTime(approval: Approval): string | null {
  const { expires_at, warned_at } = approval;
  const ms = clockOf(approval);
  if (expires_at === null || warned_at !== null || ms === null || ms < SHORTEST_WARNED_MS) return null;
  return new Date(Date.parse(expires_at) - Math.floor(ms / 4)).toISOString();
}

/** How long the clock of an approval runs, in milliseconds. */
function clockOf({ timeout_ms, expires_at, requested_at }: Approval): number | null {
  if (timeout_ms !== undefined) return timeout_ms;
  return expires_at === null ? null : Date.parse(expires_at) - Date.parse(requested_at);
}
