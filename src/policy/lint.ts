import { contradictionIn } from "./contradiction.ts";
import type { Rule } from "./document.ts";
import { parseDuration } from "./duration.ts";
import type { ToolFacts } from "./facts.ts";
import { lintAllowances } from "./lint-allowances.ts";
import { lintFields } from "./lint-fields.ts";
import { lintMask } from "./lint-mask.ts";
import { lintPeople } from "./lint-people.ts";
import { lintRisk } from "./lint-risk.ts";
import { lintSafety, lintUnruled } from "./lint-safety.ts";
import { lintShadowed } from "./lint-shadow.ts";
import { lintTools } from "./lint-tools.ts";
import type { Policy } from "./policy.ts";
import { formatPath } from "./policy-error.ts";
import { compareTiers } from "./tier.ts";
import { branchesOf, fieldsOf, innerPredicates, type Predicate, type When } from "./when.ts";

export type FindingCode =
  | "unknown_tool"
  | "never_matches"
  | "unknown_field"
  | "relaxed_destructive"
  | "glob_relaxes_declared"
  | "shell_tightens"
  | "duplicate_id"
  | "no_effect"
  | "unknown_group"
  | "unreachable_quorum"
  | "unsafe_timeout"
  | "shadowed"
  | "unsafe"
  | "tool_without_rule";

/** Something in a policy that is wrong (`error`: it is refused) or probably not meant (`warning`). */
export interface Finding {
  severity: "error" | "warning";
  code: FindingCode;
  /** Such as `rules[2].when.path`. */
  path: string;
  message: string;
}

/** Reads a policy for what its schema cannot see. Without `tools`, what concerns the registered tools is left out. */
export function lintPolicy(policy: Policy, tools?: readonly ToolFacts[]): Finding[] {
  return [
    ...lintParts(policy, tools),
    ...lintShadowed(policy.rules),
    ...lintSafety(policy),
    ...(tools === undefined ? [] : lintUnruled(policy, tools)),
  ];
}

/** What each part of a policy says by itself. All errors are among this; what is only odd about the whole is not. */
export function lintParts(policy: Policy, tools?: readonly ToolFacts[]): Finding[] {
  const inRules = policy.rules.flatMap((rule, index) => {
    const path = ["rules", index];
    const findings = [
      ...lintId(rule, index, policy),
      ...lintContradiction(rule, index),
      ...lintShell(rule, index),
      ...lintTimeout(rule, index, policy),
    ];
    if (tools === undefined) return findings;
    const unknown = lintTools(rule, path, tools);
    return [
      ...findings,
      ...unknown,
      ...lintFields(rule, path, tools),
      ...lintRisk(rule, path, tools, policy.default),
    ];
  });
  return [
    ...inRules,
    ...lintPeople(policy),
    ...lintAllowances(policy, tools),
    ...(tools === undefined ? [] : lintMask(policy.mask ?? [], tools)),
  ];
}

function lintId(rule: Rule, index: number, policy: Policy): Finding[] {
  const first = policy.rules.findIndex(({ id }) => id === rule.id);
  if (first === index) return [];
  const message = `"${rule.id}" is the id of rules[${first}] already; give each rule its own`;
  return [{ severity: "error", code: "duplicate_id", path: `rules[${index}].id`, message }];
}

function lintContradiction(rule: Rule, index: number): Finding[] {
  const found = rule.when === undefined ? undefined : contradictionIn(rule.when);
  if (found === undefined) return [];
  const path = formatPath(["rules", index, "when", found.field]);
  return [
    {
      severity: "error",
      code: "never_matches",
      path,
      message: `rule "${rule.id}" can never match: "${found.field}" ${found.message}`,
    },
  ];
}

/** `shell` holds only if every command of a line matches, which is the wrong way round for forbidding one. */
function lintShell(rule: Rule, index: number): Finding[] {
  if (rule.when === undefined || compareTiers(rule.tier, "approve") < 0 || !asksForShell(rule.when))
    return [];
  const message =
    `rule "${rule.id}" would hold a call back only when every command of its line matches, so "ls; rm x" passes a ` +
    "pattern for rm; list what is allowed in a rule that relaxes, or put the patterns of what is allowed under `not`";
  return [{ severity: "warning", code: "shell_tightens", path: `rules[${index}].when`, message }];
}

function asksForShell(when: When): boolean {
  const inner = branchesOf(when).filter((branch) => branch !== when.not);
  const plain = (predicate: Predicate): boolean =>
    predicate.shell !== undefined ||
    innerPredicates(predicate).some((one) => one !== predicate.not && plain(one));
  return fieldsOf(when).some(([, predicate]) => plain(predicate)) || inner.some(asksForShell);
}

function lintTimeout(rule: Rule, index: number, policy: Policy): Finding[] {
  const timeout = rule.review?.timeout;
  const general = policy.review.timeout;
  if (timeout === undefined || general === "24h" || parseDuration(timeout) <= parseDuration(general))
    return [];
  const message = `"${timeout}" has no effect, since review.timeout is ${general} and the shorter one wins`;
  return [{ severity: "warning", code: "no_effect", path: `rules[${index}].review.timeout`, message }];
}
