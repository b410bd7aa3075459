import type { ReviewInput } from "./review-document.ts";
import type { Policy } from "./policy.ts";

/**
 * The first thing in a policy that cannot be kept where nobody says who they are, as a path. A quorum counts people,
 * groups name them, duties are those of somebody.
 */
export function needsIdentities(policy: Policy): string | undefined {
  const blocks: [string, ReviewInput | Policy["review"]][] = [
    ["review", policy.review],
    ...policy.rules.flatMap((rule, index): [string, ReviewInput][] =>
      rule.review === undefined ? [] : [[`rules[${index}].review`, rule.review]],
    ),
  ];
  for (const [path, block] of blocks) {
    if ((block.quorum ?? 1) > 1) return `${path}.quorum`;
    if (block.separateDuties === true) return `${path}.separateDuties`;
    if ((block.by ?? []).length > 0) return `${path}.by`;
  }
  const byUser = policy.allowances.findIndex(({ by }) => by === "user");
  if (byUser >= 0) return `allowances[${byUser}].by`;
  return policy.rubberStamp?.then.secondReviewer ? "fatigue.rubberStamp.then.secondReviewer" : undefined;
}
