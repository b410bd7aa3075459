import type { BaseTier } from "./base-tier.ts";
import { describeWhen } from "./describe.ts";
import type { Judgement, RuleOutcome } from "./judgement.ts";
import type { Tier } from "./tier.ts";

const MOST_NAMED = 3;

/** Why a call has its tier, in words. `overlooked` names what an overlay asked for in vain. */
export function whyOf(judgement: Judgement, tool: string, overlooked: readonly string[]): string {
  const deciding = decidingRules(judgement);
  const main = deciding.length === 0 ? withoutRule(judgement, tool) : upTo(deciding.map(ruleWords), "; ");
  const notes = judgement.outcomes.filter(
    ({ fate, fromOverlay }) => !fromOverlay && (fate === "glob" || fate === "uncertain"),
  );
  const sentences = [
    `${main}.`,
    ...notes.slice(0, MOST_NAMED).map((outcome) => noteWords(outcome, judgement)),
    ...(overlooked.length === 0
      ? []
      : [`An overlay asked for less, which did not count: ${upTo(overlooked, ", ")}.`]),
  ];
  return sentences.join(" ");
}

/** The rules that gave the tier; none when the base gave it. */
export function decidingRules({ outcomes, tier }: Judgement): RuleOutcome[] {
  return outcomes.filter(({ fate, rule }) => fate === "counts" && rule.tier === tier);
}

/** Where a tier without a rule comes from, in words. */
export function baseWords({ tier, from }: BaseTier, tool: string): string {
  switch (from) {
    case "declared":
      return `the declared risk of ${tool} is ${tier}`;
    case "annotations":
      return `the annotations of ${tool} make it ${tier}`;
    case "default":
      return `the policy's default is ${tier}`;
    case "unknown tool":
      return `nothing is known of the tool ${tool}, which makes it ${tier}`;
    case "unreadable risk":
      return `the declared risk of ${tool} cannot be read, which makes it ${tier}`;
    default:
      return from satisfies never;
  }
}

function withoutRule({ base, tier }: Judgement, tool: string): string {
  if (base.tier !== tier) return `The arguments cannot be read, so the call is ${tier} at least`;
  return `No rule matches; ${baseWords(base, tool)}`;
}

function ruleWords({ rule, truth, fromOverlay }: RuleOutcome): string {
  const name = `${fromOverlay ? "Overlay rule" : "Rule"} "${rule.id}"`;
  const verb = verdictVerb(rule.tier);
  if (rule.when === undefined) return `${name} ${verb}`;
  const test = describeWhen(rule.when);
  return truth === "unknown"
    ? `${name} ${verb}, since it cannot be ruled out that ${test}`
    : `${name} ${verb} when ${test}`;
}

function verdictVerb(tier: Tier): string {
  const verbs: Record<Tier, string> = {
    auto: "runs it without asking",
    suggest: "announces and runs it",
    approve: "asks first",
    deny: "forbids it",
  };
  return verbs[tier];
}

function noteWords({ rule, fate }: RuleOutcome, { base }: Judgement): string {
  if (fate === "glob") {
    return `Rule "${rule.id}" did not count: it names the tool by a glob and would go below its declared risk (${base.tier}).`;
  }
  const test = rule.when === undefined ? "" : ` whether ${describeWhen(rule.when)}`;
  return `Rule "${rule.id}" did not count: it cannot be told${test}.`;
}

function upTo(parts: readonly string[], joiner: string): string {
  const named = parts.slice(0, MOST_NAMED).join(joiner);
  return parts.length <= MOST_NAMED ? named : `${named} and ${parts.length - MOST_NAMED} more`;
}
