import { isRestricted, type Approval, type ApprovalKind } from "../ledger/index.ts";
import type { Disclosed, EffectiveReview } from "../policy/index.ts";
import type { Subject } from "./ask-command.ts";
import type { Entry } from "./entry.ts";
import { requester } from "./host.ts";

/** What a question says of who may decide it, and of its clock. What is said of none is left out: it is so by default. */
export function peopleOf(kind: ApprovalKind, review: EffectiveReview) {
  const { by, reviewers, separateDuties, onTimeout, escalate, timeoutMs } = review;
  const quorum = quorumOf(kind, review);
  const isEscalated = kind === "call" && onTimeout === "escalate" && escalate.length > 0;
  return {
    ...(quorum > 1 && { quorum }),
    ...(by.length > 0 && { by, reviewers: reviewers ?? [] }),
    ...(separateDuties && { separate_duties: true }),
    ...(kind === "call" && onTimeout === "approve" && { on_timeout: onTimeout }),
    ...(isEscalated && { on_timeout: onTimeout, escalate, timeout_ms: timeoutMs }),
  };
}

/** What became of a call is a question of fact: one who knows is enough. */
function quorumOf(kind: ApprovalKind, { quorum }: EffectiveReview): number {
  return kind === "call" ? quorum : 1;
}

/** Why no one who may decide could ever do so; nothing when somebody may. */
export function whyNobody(entry: Entry, { kind, verdict: { review } }: Subject): string | undefined {
  const quorum = quorumOf(kind, review);
  const { reviewers, separateDuties } = review;
  if (!isRestricted({ quorum, reviewers, separate_duties: separateDuties })) return undefined;
  if (entry.parts.answer !== undefined)
    return "Only people who say who they are may decide this call, and whoever is asked in process does not.";
  if (reviewers === null) return undefined;
  const later = kind === "call" && review.onTimeout === "escalate" ? review.escalate : [];
  const asker = entry.call?.requested_by ?? requester().requested_by;
  const may = new Set([...reviewers, ...later.flatMap((group) => group.reviewers)]);
  const isLess = separateDuties && asker !== undefined && may.delete(asker);
  if (may.size >= quorum) return undefined;
  const but = isLess ? ", since whoever asked for it may not" : "";
  if (may.size === 0) return `Nobody may decide this call${but}.`;
  return `${quorum} people must approve this call, and only ${may.size} may decide it${but}.`;
}

/**
 * What an approval stands for when the call is judged again. An edit is the word of one person, whatever number had to
 * approve what was there before.
 */
export function disclosedBy(approval: Approval): Disclosed {
  const { kind, status, tier, rules, quorum, by, in_place_of, separate_duties } = approval;
  const heard = kind === "outcome" ? Infinity : status === "edited" ? 1 : quorum;
  return { tier, rules, quorum: heard, by: in_place_of ?? by, separateDuties: separate_duties };
}
