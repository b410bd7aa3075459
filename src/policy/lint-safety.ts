import type { Rule } from "./document.ts";
import { parseDuration } from "./duration.ts";
import type { ToolFacts } from "./facts.ts";
import type { Finding } from "./lint.ts";
import type { Policy } from "./policy.ts";
import { compareTiers } from "./tier.ts";
import { compileNames } from "./tool-names.ts";

const DAY = 86_400_000;

/** What lets more through together than each part of it says. */
export function lintSafety(policy: Policy): Finding[] {
  const { rules, grants, review, rubberStamp, reviewers } = policy;
  const findings: Finding[] = [];
  const warn = (path: string, message: string): void => {
    findings.push({ severity: "warning", code: "unsafe", path, message });
  };
  if (compareTiers(policy.default, "approve") < 0)
    warn(
      "default",
      `"${policy.default}" lets every tool run that nobody has thought of; "approve" asks first`,
    );
  for (const [index, rule] of rules.entries())
    if (letsAllRun(rule))
      warn(`rules[${index}]`, `rule "${rule.id}" lets every tool run whose author declared no risk`);
  if (grants.scopes.includes("everyone") && parseDuration(grants.maxTtl) > DAY && review.remember)
    warn("grants", `one decision may hold for everyone for ${grants.maxTtl}; keep "maxTtl" within a day`);
  if (review.onTimeout === "approve" && parseDuration(review.timeout) < 60_000)
    warn(
      "review.timeout",
      `silence of ${review.timeout} runs a call, which is less than anybody needs to see it`,
    );
  const approving = reviewers.findIndex(({ may }) => may.includes("approve"));
  if (approving >= 0)
    warn(
      `reviewers[${approving}].may`,
      `"approve" lets a function run what a person would be asked about; a model is wrong about one risky call in six`,
    );
  if (rubberStamp !== null && !Object.values(rubberStamp.then).some(Boolean))
    warn("fatigue.rubberStamp.then", "nothing follows from the signs: name one of its keys");
  return findings;
}

function letsAllRun({ tools, when, tier }: Rule): boolean {
  return tools.includes("*") && when === undefined && compareTiers(tier, "approve") < 0;
}

/** Tools of which neither their authors nor the policy say anything: they fall to the default. */
export function lintUnruled(policy: Policy, tools: readonly ToolFacts[]): Finding[] {
  const named = compileNames(policy.rules.flatMap((rule) => rule.tools.filter((entry) => entry !== "*")));
  const silent = tools.filter(
    ({ name, declared, annotations }) =>
      declared === undefined && annotations === undefined && named(name) === undefined,
  );
  if (silent.length === 0) return [];
  const names = silent.map(({ name }) => name).join(", ");
  const message = `no rule and no declared risk speaks of ${names}: the default, "${policy.default}", decides`;
  return [{ severity: "warning", code: "tool_without_rule", path: "rules", message }];
}
