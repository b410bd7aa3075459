import type { ToolFacts } from "./facts.ts";
import type { Finding } from "./lint.ts";
import { didYouMean } from "./nearest.ts";
import type { Policy } from "./policy.ts";

/** Allowances with one name, for tools that do not exist, or over arguments that their tools do not have. */
export function lintAllowances({ allowances }: Policy, tools: readonly ToolFacts[] | undefined): Finding[] {
  return allowances.flatMap((allowance, index): Finding[] => {
    const path = `allowances[${index}]`;
    const first = allowances.findIndex(({ id }) => id === allowance.id);
    const findings: Finding[] = [];
    if (first !== index)
      findings.push(
        error("duplicate_id", `${path}.id`, `"${allowance.id}" is the id of allowances[${first}] already`),
      );
    if (tools === undefined) return findings;
    const names = tools.map(({ name }) => name);
    for (const [place, name] of allowance.tools.entries()) {
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) {
        const hint = didYouMean(name, names);
        findings.push(
          error("unknown_tool", `${path}.tools[${place}]`, `"${name}" is no registered tool${hint}`),
        );
        continue;
      }
      const [field = ""] = allowance.sum.split(".");
      if (tool.fields === undefined || tool.fields.includes(field)) continue;
      const hint = didYouMean(field, tool.fields);
      findings.push(error("unknown_field", `${path}.sum`, `${name} has no argument "${field}"${hint}`));
    }
    return findings;
  });
}

function error(code: Finding["code"], path: string, message: string): Finding {
  return { severity: "error", code, path, message };
}
