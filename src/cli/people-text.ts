import type { Approval } from "../ledger/index.ts";
import { exact } from "./readable.ts";

/** How far the votes are, where several people must approve: `1 of 2 approved`. */
export function votesText({ quorum, votes }: Pick<Approval, "quorum" | "votes">): string | undefined {
  return quorum > 1 ? `${votes.length} of ${quorum} approved` : undefined;
}

/** Who has approved by now, and how many must. */
export function votesLines(approval: Approval): string[] {
  const text = votesText(approval);
  if (text === undefined) return [];
  const names = approval.votes.map(({ decided_by }) => exact(decided_by.id ?? "a user"));
  return [names.length === 0 ? text : `${text}: ${names.join(", ")}`];
}

/** Who may decide; nothing where everybody who reviews may. */
export function mayDecideLines({
  by,
  escalate,
  escalated,
  separate_duties,
  requested_by,
}: Approval): string[] {
  const lists = by.map((names) => names.map(exact).join(" or ")).join(", and of ");
  const added = by.length === 0 ? [] : escalate.slice(0, escalated).map(({ group }) => exact(group));
  const who = lists === "" ? [] : [`somebody of ${lists}${added.map((name) => `; or of ${name}`).join("")}`];
  const asker = requested_by === null ? "whoever asked for it" : `${exact(requested_by)}, who asked for it`;
  return [...who, ...(separate_duties ? [`not ${asker}`] : [])];
}

/** What becomes of a pending question when its time is up, where that is not its end. */
export function onTimeoutLines({ on_timeout, escalate, escalated, status }: Approval): string[] {
  if (status !== "pending") return [];
  if (on_timeout === "approve") return ["the call runs"];
  const next = on_timeout === "escalate" ? escalate.slice(escalated).map(({ group }) => exact(group)) : [];
  return next.length === 0 ? [] : [`it goes to ${next.join(", then to ")}`];
}

/** The groups that a question has gone to. */
export function escalatedLines({ escalate, escalated }: Approval): string[] {
  const gone = escalate.slice(0, escalated).map(({ group }) => exact(group));
  return gone.length === 0 ? [] : [`nobody answered in time; went to ${gone.join(", then to ")}`];
}
