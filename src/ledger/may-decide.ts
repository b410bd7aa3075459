import type { Approval } from "./approval.ts";
import type { DecidedBy, DecisionType } from "./decision.ts";

/** What of a question says who may answer it. */
export type Restriction = Pick<Approval, "quorum" | "reviewers" | "separate_duties">;

/** Whether it matters who answers: then nobody does who is not known. */
export function isRestricted({ quorum, reviewers, separate_duties }: Restriction): boolean {
  return quorum > 1 || reviewers !== null || separate_duties;
}

/** Why somebody may not decide an approval so; nothing when they may. */
export function whyNot(approval: Approval, by: DecidedBy, type: DecisionType): string | undefined {
  if (!isRestricted(approval)) return undefined;
  switch (by.kind) {
    case "user":
      return whyNotPerson(approval, by.id);
    case "grant":
    case "allowance":
      if (type === "reject" || approval.quorum === 1) return undefined;
      return `${approval.quorum} people must approve this call. What was remembered or allowed before is no vote.`;
    case "reviewer":
    case "policy":
    case "timeout":
    case "system":
      return type === "reject"
        ? undefined
        : "Only people may clear this call. Anybody else can only reject it.";
  }
}

function whyNotPerson(
  { reviewers, separate_duties, requested_by, quorum, by }: Approval,
  id: string | undefined,
): string | undefined {
  if (id === undefined) {
    const why = quorum > 1 ? `${quorum} different people must approve it` : "not everybody may decide it";
    return `Nobody knows who you are, and ${why}. Decide it where people say who they are.`;
  }
  if (reviewers !== null && !reviewers.includes(id)) {
    const groups = by.map((names) => names.join(" or ")).join(", and of ");
    return `"${id}" is not among those who may decide this call${groups === "" ? "" : `. It takes somebody of ${groups}`}.`;
  }
  if (separate_duties && requested_by === id)
    return `"${id}" asked for this call, so somebody else has to decide it.`;
  return undefined;
}
