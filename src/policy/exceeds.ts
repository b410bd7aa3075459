import type { Verdict } from "./facts.ts";
import { compareTiers, type DecisionType, type Tier } from "./tier.ts";

/** What a reviewer was told of a call. */
export interface Disclosed {
  tier: Tier;
  rules: readonly string[];
  decisions?: readonly DecisionType[] | undefined;
  /** How many people gave their word. Default: one. */
  quorum?: number | undefined;
  /** Lists of groups, one group of each of which they had to be of. Default: none. */
  by?: readonly (readonly string[])[] | undefined;
  separateDuties?: boolean | undefined;
}

/**
 * Whether a call now needs anything more than was disclosed: a stricter tier, another rule, more people or others, or an
 * answer that was offered and no longer is. A call that now needs nobody exceeds only when it is stricter than before.
 */
export function exceeds(now: Verdict, disclosed: Disclosed): boolean {
  if (compareTiers(now.tier, disclosed.tier) > 0) return true;
  if (compareTiers(now.tier, "approve") < 0) return false;
  if (now.rules.some((rule) => !disclosed.rules.includes(rule))) return true;
  if (needsOthers(now, disclosed)) return true;
  return (disclosed.decisions ?? []).some((decision) => !now.review.decisions.includes(decision));
}

function needsOthers(
  { review }: Verdict,
  { quorum = 1, by = [], separateDuties = false }: Disclosed,
): boolean {
  const lists = by.map((names) => names.join(" "));
  return (
    review.quorum > quorum ||
    (review.separateDuties && !separateDuties) ||
    review.by.some((names) => !lists.includes(names.join(" ")))
  );
}
