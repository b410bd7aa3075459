import type { ToolFacts } from "./facts.ts";
import type { Finding } from "./lint.ts";
import { firstName } from "./mask-pattern.ts";
import { didYouMean } from "./nearest.ts";

/** Masks that begin with an argument which no tool declares: they would hide nothing, and nobody would notice. */
export function lintMask(mask: readonly string[], tools: readonly ToolFacts[]): Finding[] {
  if (tools.length === 0 || tools.some(({ fields }) => fields === undefined)) return [];
  const declared = [...new Set(tools.flatMap(({ fields = [] }) => fields))];
  return mask.flatMap((pattern, index): Finding[] => {
    const name = firstName(pattern);
    if (name === undefined ? declared.length > 0 : declared.some((field) => field.toLowerCase() === name))
      return [];
    const hint = name === undefined ? "" : didYouMean(name, declared);
    const message = `"${pattern}" hides nothing: no tool has ${name === undefined ? "any argument" : `the argument "${name}"`}${hint}`;
    return [{ severity: "error", code: "never_matches", path: `mask[${index}]`, message }];
  });
}
