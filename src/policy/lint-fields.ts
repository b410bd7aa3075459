import { requiredFields } from "./contradiction.ts";
import type { Rule } from "./document.ts";
import type { ToolFacts } from "./facts.ts";
import type { Finding } from "./lint.ts";
import { toolsOf } from "./lint-tools.ts";
import { didYouMean } from "./nearest.ts";
import { formatPath } from "./policy-error.ts";
import { branchesOf, fieldsOf, type When } from "./when.ts";

/**
 * Arguments that the tools of a rule do not declare. A rule that requires one can never match, which is an error when
 * it is so for all its tools, and worth a warning when it is so for a tool that the rule names exactly.
 */
export function lintFields(rule: Rule, path: readonly PropertyKey[], tools: readonly ToolFacts[]): Finding[] {
  const when = rule.when;
  const named = toolsOf(rule, tools);
  if (when === undefined || named.length === 0) return [];
  const required = [...requiredFields(when).keys()];
  const impossible = named.filter((tool) => required.some((field) => lacks(tool, field)));
  const at = (field: string) => formatPath([...path, "when", field]);
  if (impossible.length === named.length) {
    const field = required.find((one) => named.some((tool) => lacks(tool, one))) ?? "";
    const hint = didYouMean(topOf(field), [...new Set(named.flatMap(({ fields }) => fields ?? []))]);
    const message = `rule "${rule.id}" can never match: none of its tools has the argument "${topOf(field)}"${hint}`;
    return [{ severity: "error", code: "never_matches", path: at(field), message }];
  }
  const partly = impossible
    .filter(({ name }) => rule.tools.includes(name))
    .map((tool): Finding => {
      const field = required.find((one) => lacks(tool, one)) ?? "";
      const message = `rule "${rule.id}" never matches ${tool.name}, which has no argument "${topOf(field)}"`;
      return { severity: "warning", code: "unknown_field", path: at(field), message };
    });
  const useless = [...mentioned(when)]
    .filter((field) => !required.includes(field) && named.every((tool) => lacks(tool, field)))
    .map((field): Finding => {
      const message = `none of the tools of rule "${rule.id}" has the argument "${topOf(field)}"`;
      return { severity: "warning", code: "unknown_field", path: formatPath([...path, "when"]), message };
    });
  return [...partly, ...useless];
}

function lacks(tool: ToolFacts, field: string): boolean {
  return tool.fields !== undefined && !tool.fields.includes(topOf(field));
}

function topOf(field: string): string {
  return field.split(".")[0] ?? field;
}

function mentioned(when: When): Set<string> {
  return new Set([
    ...fieldsOf(when).map(([field]) => field),
    ...branchesOf(when).flatMap((one) => [...mentioned(one)]),
  ]);
}
