import { definePolicy, evaluate, type Policy, type PolicyInput } from "../../../src/index.ts";

const TOOLS = Array.from({ length: 50 }, (_, index) => `tool_${index}`);
const CALLS = 400;

/** A policy of so many rules for fifty tools, a tenth of them for every tool: shell lines, globs and amounts in turn. */
export function largePolicy(rules: number): Policy {
  const input = {
    version: 1,
    rules: Array.from({ length: rules }, (_, index) => ({
      id: `r${index}`,
      tools: [index % 10 === 0 ? "*" : TOOLS[index % TOOLS.length]],
      when: [
        { command: { shell: [`cmd${index} *`] } },
        { path: { glob: `dir${index}/**` } },
        { amount: { gt: index } },
      ][index % 3],
      tier: index % 2 === 0 ? "suggest" : "deny",
    })),
  } as PolicyInput;
  return definePolicy(input);
}

/** The median time of judging one call, in milliseconds; no two calls are alike. */
export function medianOf(policy: Policy): number {
  const times = Array.from({ length: CALLS }, (_, index) => {
    const name = TOOLS[index % TOOLS.length] ?? "";
    const args = { command: `ls -la ${index}`, path: `src/${index}.ts`, amount: index };
    const tool = { name, declared: "approve" as const, fields: Object.keys(args) };
    const from = performance.now();
    evaluate(policy, { name, args }, { tool });
    return performance.now() - from;
  });
  return times.sort((a, b) => a - b)[CALLS / 2] ?? 0;
}
