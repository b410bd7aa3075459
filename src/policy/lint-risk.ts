import { baseTier } from "./base-tier.ts";
import type { Rule } from "./document.ts";
import type { ToolFacts } from "./facts.ts";
import type { Finding } from "./lint.ts";
import { toolsOf } from "./lint-tools.ts";
import { formatPath } from "./policy-error.ts";
import { compareTiers, type Tier } from "./tier.ts";

/** Rules that let a risky tool run: without any condition, or by a glob that cannot do so. */
export function lintRisk(
  rule: Rule,
  path: readonly PropertyKey[],
  tools: readonly ToolFacts[],
  fallback: Tier,
): Finding[] {
  const findings: Finding[] = [];
  const byGlob = toolsOf(rule, tools).filter(
    ({ name, declared }) =>
      declared !== undefined && compareTiers(rule.tier, declared) < 0 && !rule.tools.includes(name),
  );
  if (byGlob.length > 0) {
    const names = byGlob.map(({ name, declared }) => `${name} (${declared})`).join(", ");
    findings.push({
      severity: "warning",
      code: "glob_relaxes_declared",
      path: formatPath([...path, "tools"]),
      message: `rule "${rule.id}" goes below the declared risk of ${names} by a glob and does not count there; name the tool exactly`,
    });
  }
  const disarmed = toolsOf(rule, tools).filter(
    (tool) => isRelaxed(rule, tool, fallback) && !byGlob.includes(tool),
  );
  if (disarmed.length > 0) {
    const names = disarmed.map(({ name }) => name).join(", ");
    findings.push({
      severity: "warning",
      code: "relaxed_destructive",
      path: formatPath([...path, "tier"]),
      message: `rule "${rule.id}" lets every call of ${names} run without asking; add a \`when\` that says which calls are safe`,
    });
  }
  return findings;
}

/** Whether the rule lets a tool that is known to be risky run, whatever its arguments are. */
function isRelaxed(rule: Rule, tool: ToolFacts, fallback: Tier): boolean {
  if (rule.when !== undefined || compareTiers(rule.tier, "approve") >= 0) return false;
  const base = baseTier(tool, fallback);
  return base.from !== "default" && compareTiers(base.tier, "approve") >= 0;
}
