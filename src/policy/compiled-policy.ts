import { compileWhen, type ArgumentsTest } from "./compile-when.ts";
import type { Rule } from "./document.ts";
import type { Policy } from "./policy.ts";
import { compileNames, type Naming } from "./tool-names.ts";

/** A rule with its matchers built. */
export interface CompiledRule {
  rule: Rule;
  naming: (tool: string) => Naming;
  test: ArgumentsTest;
}

/** A policy with the matchers of its rules built, its own and those of its overlay. */
export interface CompiledPolicy {
  own: CompiledRule[];
  overlay: CompiledRule[];
}

const cache = new WeakMap<Policy, CompiledPolicy>();

/** The matchers of a policy, built once for a frozen one. */
export function compiled(policy: Policy): CompiledPolicy {
  const known = cache.get(policy);
  if (known !== undefined) return known;
  const result = {
    own: policy.rules.map(compileRule),
    overlay: (policy.overlay?.rules ?? []).map(compileRule),
  };
  if (Object.isFrozen(policy)) cache.set(policy, result);
  return result;
}

const compiledRules = new WeakMap<Rule, CompiledRule>();

function compileRule(rule: Rule): CompiledRule {
  const known = compiledRules.get(rule);
  if (known !== undefined) return known;
  const test: ArgumentsTest = rule.when === undefined ? () => "true" : compileWhen(rule.when);
  const result = { rule, naming: compileNames(rule.tools), test };
  if (Object.isFrozen(rule)) compiledRules.set(rule, result);
  return result;
}
