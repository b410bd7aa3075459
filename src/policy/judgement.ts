import { baseTier, type BaseTier } from "./base-tier.ts";
import { compiled, type CompiledRule } from "./compiled-policy.ts";
import type { Rule } from "./document.ts";
import type { Arguments } from "./field.ts";
import type { Facts, PolicyCall } from "./facts.ts";
import type { Policy } from "./policy.ts";
import { compareTiers, strictest, type Tier } from "./tier.ts";
import type { Truth } from "./truth.ts";

/**
 * What became of one rule that names the tool: it counts, or why it does not.
 *
 * - `counts`: it holds, or nobody can tell and it is no milder than what is certain
 * - `no match`: it does not hold
 * - `uncertain`: nobody can tell and it would relax
 * - `glob`: it goes below the declared risk of a tool it does not name exactly
 * - `milder overlay`: it stands in an overlay and asks for less than the policy
 */
export type RuleFate = "counts" | "no match" | "uncertain" | "glob" | "milder overlay";

export interface RuleOutcome {
  rule: Rule;
  truth: Truth;
  fate: RuleFate;
  fromOverlay: boolean;
}

/** A verdict before it is put into words. */
export interface Judgement {
  tier: Tier;
  base: BaseTier;
  outcomes: RuleOutcome[];
}

interface Tested {
  rule: Rule;
  truth: Truth;
  disarmed: boolean;
}

/** Judges a call: gathers the rules, weighs the unknown, lets the strictest win. May throw on hostile objects. */
export function judge(policy: Policy, call: PolicyCall, facts: Facts): Judgement {
  const name = typeof call.name === "string" ? call.name : "";
  const tool = facts.tool?.name === name ? facts.tool : undefined;
  const args: Arguments = {
    value: facts.args ?? call.args,
    reachTool: facts.args !== undefined,
    fields: tool?.fields,
    paths: facts.paths,
  };
  const rules = compiled(policy);
  const base = baseTier(tool, policy.default);
  const declared = base.from === "declared" ? base.tier : undefined;
  const own = testRules(rules.own, name, args, declared);
  const sure = certain(own, base.tier);
  const alone = settle(own, base.tier);

  // An overlay can only raise what the policy alone says, so that part is settled first and stands.
  const stricterDefault = strictest(policy.default, policy.overlay?.default ?? policy.default);
  const raised = baseTier(tool, stricterDefault);
  const added = testRules(rules.overlay, name, args, undefined);
  const atLeast = isReadable(args.value) ? alone : strictest(alone, "approve");
  const tier = strictest(
    atLeast,
    settle(own, raised.tier),
    ...added
      .filter(({ rule, truth }) => truth !== "false" && !isMilder(rule.tier, alone))
      .map(({ rule }) => rule.tier),
  );
  return {
    tier,
    base: raised,
    // By id, so that the words of a verdict do not depend on the order of the rules either.
    outcomes: [
      ...own.map((tested) => ({ ...outcome(tested, sure), fromOverlay: false })),
      ...added.map((tested) => ({ ...overlayOutcome(tested, alone), fromOverlay: true })),
    ].sort((a, b) => (a.rule.id < b.rule.id ? -1 : a.rule.id > b.rule.id ? 1 : 0)),
  };
}

function testRules(
  rules: readonly CompiledRule[],
  name: string,
  args: Arguments,
  declared: Tier | undefined,
) {
  const result: Tested[] = [];
  for (const { rule, naming, test } of rules) {
    const named = naming(name);
    if (named === undefined) continue;
    const disarmed = named === "glob" && declared !== undefined && isMilder(rule.tier, declared);
    result.push({ rule, truth: test(args), disarmed });
  }
  return result;
}

/** The strictest tier of the rules that hold for certain, or the base when none does. */
function certain(tested: readonly Tested[], base: Tier): Tier {
  const [first, ...others] = tested.filter(({ truth, disarmed }) => truth === "true" && !disarmed);
  return first === undefined ? base : strictest(first.rule.tier, ...others.map(({ rule }) => rule.tier));
}

/**
 * What the rules come to. A rule that may or may not hold, or that a glob keeps from relaxing, counts where it is no
 * milder than what is certain: the result is the strictest that any way of filling in the unknown could give.
 */
function settle(tested: readonly Tested[], base: Tier): Tier {
  const possible = tested.filter(({ truth }) => truth !== "false").map(({ rule }) => rule.tier);
  const sure = certain(tested, base);
  return strictest(sure, ...possible.filter((tier) => !isMilder(tier, sure)));
}

function outcome({ rule, truth, disarmed }: Tested, sure: Tier): Omit<RuleOutcome, "fromOverlay"> {
  if (truth === "false") return { rule, truth, fate: "no match" };
  if (disarmed && !isMilder(sure, rule.tier)) return { rule, truth, fate: "glob" };
  if (truth === "unknown" && isMilder(rule.tier, sure)) return { rule, truth, fate: "uncertain" };
  return { rule, truth, fate: "counts" };
}

function overlayOutcome({ rule, truth }: Tested, alone: Tier): Omit<RuleOutcome, "fromOverlay"> {
  if (truth === "false") return { rule, truth, fate: "no match" };
  if (!isMilder(rule.tier, alone)) return { rule, truth, fate: "counts" };
  return { rule, truth, fate: truth === "true" ? "milder overlay" : "uncertain" };
}

function isMilder(tier: Tier, than: Tier): boolean {
  return compareTiers(tier, than) < 0;
}

/** Whether arguments are a plain object: anything else cannot be shown to a person, so it is asked about at least. */
function isReadable(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
