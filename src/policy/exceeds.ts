import type { Verdict } from "./facts.ts";
import { compareTiers, type DecisionType, type Tier } from "./tier.ts";

/** What a reviewer was told of a call. */
export interface Disclosed {
  tier: Tier;
  rules: readonly string[];
  decisions?: readonly DecisionType[] | undefined;
}

/**
 * Whether a call now needs anything more than was disclosed: a stricter tier, another rule, or an answer that was
 * offered and no longer is. A call that now needs nobody exceeds only when it is stricter than before.
 */
export function exceeds(now: Verdict, disclosed: Disclosed): boolean {
  if (compareTiers(now.tier, disclosed.tier) > 0) return true;
  if (compareTiers(now.tier, "approve") < 0) return false;
  if (now.rules.some((rule) => !disclosed.rules.includes(rule))) return true;
  return (disclosed.decisions ?? []).some((decision) => !now.review.decisions.includes(decision));
}
