import { describeWhen, shorten } from "./describe.ts";
import { evaluate, toVerdict } from "./evaluate.ts";
import type { Facts, PolicyCall } from "./facts.ts";
import { judge, type RuleOutcome } from "./judgement.ts";
import type { Policy } from "./policy.ts";
import { baseWords } from "./why.ts";

const MOST_RULES = 10;

/**
 * What a policy says of a call, as a short paragraph: the verdict and why, where the tool stands without rules, and
 * the rules that name the tool and do not match. Total, like `evaluate`.
 */
export function explain(policy: Policy, call: PolicyCall, facts: Facts = {}): string {
  try {
    const judgement = judge(policy, call, facts);
    const verdict = toVerdict(policy, call, judgement);
    const tool = shorten(call.name);
    const rest = judgement.outcomes.filter(({ fate }) => fate === "no match");
    const sentences = [
      `${tool}: ${verdict.tier}.`,
      verdict.why,
      ...(verdict.reason === undefined ? [] : [`Reason given: ${shorten(verdict.reason)}`]),
      ...(verdict.why.includes(baseWords(judgement.base, tool))
        ? []
        : [`Without rules, ${baseWords(judgement.base, tool)}.`]),
      ...rest.slice(0, MOST_RULES).map(noMatchWords),
      ...(rest.length > MOST_RULES ? [`${rest.length - MOST_RULES} more rules do not match.`] : []),
      ...modeWords(verdict.tier === "approve" ? verdict.mode : "interactive"),
    ];
    return sentences.join(" ");
  } catch {
    return `The call: deny. ${evaluate(policy, call, facts).why}`;
  }
}

function noMatchWords({ rule, fromOverlay }: RuleOutcome): string {
  const test = rule.when === undefined ? "" : `, it wants that ${describeWhen(rule.when)}`;
  return `${fromOverlay ? "Overlay rule" : "Rule"} "${rule.id}" (${rule.tier}) does not match${test}.`;
}

function modeWords(mode: "interactive" | "never" | "fail_closed"): string[] {
  if (mode === "interactive") return [];
  return mode === "never"
    ? ["The mode is never, so it is rejected at once and nobody is asked."]
    : ["The mode is fail_closed, so it is refused and the run ends with an error."];
}
