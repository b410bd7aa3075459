import { fillBudget, unitedBudgets, type Budget } from "./budget.ts";
import { shorten } from "./describe.ts";
import type { Facts, PolicyCall, Verdict } from "./facts.ts";
import { fillGrants, strictestGrants } from "./grants.ts";
import { judge, type Judgement } from "./judgement.ts";
import { overlookedOf } from "./overlooked.ts";
import { modeOf, type Policy } from "./policy.ts";
import { fillRepeat, strictestRepeat } from "./repeat.ts";
import { effectiveReview, fillReview } from "./review.ts";
import { decidingRules, whyOf } from "./why.ts";

/**
 * Judges one call: which tier, by which rules, and why.
 *
 * Pure, synchronous and total: the same input gives the same verdict, nothing is looked up, and no input makes it
 * throw or hang. What cannot be judged at all is denied.
 *
 * @example
 * const policy = definePolicy({ version: 1, rules: [{ id: "reads", tools: ["read_file"], tier: "auto" }] });
 * evaluate(policy, { name: "read_file", args: { path: "a.txt" } }, { tool: { name: "read_file" } }).tier; // "auto"
 */
export function evaluate(policy: Policy, call: PolicyCall, facts: Facts = {}): Verdict {
  try {
    return toVerdict(policy, call, judge(policy, call, facts));
  } catch {
    return unjudgeable();
  }
}

/** Puts a judgement into the shape that others use. */
export function toVerdict(policy: Policy, call: PolicyCall, judgement: Judgement): Verdict {
  const counting = judgement.outcomes.filter(({ fate }) => fate === "counts");
  const own = counting.filter(({ fromOverlay }) => !fromOverlay).flatMap(({ rule }) => rule.review ?? []);
  const added = counting.filter(({ fromOverlay }) => fromOverlay).flatMap(({ rule }) => rule.review ?? []);
  const reasons = decidingRules(judgement).flatMap(({ rule }) => rule.reason ?? []);
  const overlay = policy.overlay;
  return {
    tier: judgement.tier,
    rules: [...new Set(counting.map(({ rule }) => rule.id))].sort(),
    why: whyOf(judgement, shorten(call.name), overlookedOf(policy, judgement)),
    ...(reasons.length === 0 ? {} : { reason: [...new Set(reasons)].sort().join(" ") }),
    base: judgement.base.tier,
    mode: modeOf(policy),
    review: effectiveReview(
      policy,
      own,
      [...(overlay?.review === undefined ? [] : [overlay.review]), ...added],
      judgement.base.tier,
    ),
    grants: fillGrants(strictestGrants(policy.grants, overlay?.grants ?? {})),
    repeat: fillRepeat(strictestRepeat(policy.repeat, overlay?.fatigue?.repeat ?? {})),
    budgets: budgetsOf(policy),
    allowances: policy.allowances.filter(({ tools }) => tools.includes(call.name)),
    reviewers: policy.reviewers,
    rubberStamp: policy.rubberStamp,
  };
}

function budgetsOf({ budgets, overlay }: Policy): Budget[] {
  const added = overlay?.fatigue?.budget;
  return added === undefined ? budgets : unitedBudgets(...budgets, fillBudget(added));
}

function unjudgeable(): Verdict {
  return {
    tier: "deny",
    rules: [],
    why: "The policy could not judge this call, so it is denied.",
    base: "deny",
    mode: "never",
    review: effectiveReview({ review: fillReview({}), groups: {} }, [], [], "deny"),
    grants: fillGrants({}),
    repeat: fillRepeat({}),
    ...{ budgets: [], allowances: [], reviewers: [], rubberStamp: null },
  };
}
