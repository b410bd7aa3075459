import type { Rule } from "./document.ts";
import type { ToolFacts } from "./facts.ts";
import type { Finding } from "./lint.ts";
import { didYouMean } from "./nearest.ts";
import { formatPath } from "./policy-error.ts";
import { compileNames, isNameGlob } from "./tool-names.ts";

/** The registered tools that a rule names. */
export function toolsOf(rule: Rule, tools: readonly ToolFacts[]): ToolFacts[] {
  const naming = compileNames(rule.tools);
  return tools.filter(({ name }) => naming(name) !== undefined);
}

/** Names of tools that do not exist, and globs that name none: an error when the rule is left with no tool at all. */
export function lintTools(rule: Rule, path: readonly PropertyKey[], tools: readonly ToolFacts[]): Finding[] {
  const names = tools.map(({ name }) => name);
  const namesNone = toolsOf(rule, tools).length === 0;
  return rule.tools.flatMap((entry, index): Finding[] => {
    const naming = compileNames([entry]);
    if (names.some((name) => naming(name) !== undefined)) return [];
    const at = formatPath([...path, "tools", index]);
    if (isNameGlob(entry)) {
      const message = `"${entry}" matches no registered tool; the tools are ${listed(names)}`;
      return [{ severity: namesNone ? "error" : "warning", code: "unknown_tool", path: at, message }];
    }
    const hint = didYouMean(entry, names) || `; the tools are ${listed(names)}`;
    return [
      {
        severity: "error",
        code: "unknown_tool",
        path: at,
        message: `"${entry}" is no registered tool${hint}`,
      },
    ];
  });
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return "none";
  return names.length <= 12
    ? names.join(", ")
    : `${names.slice(0, 12).join(", ")} and ${names.length - 12} more`;
}
