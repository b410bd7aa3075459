import { definePolicy, evaluate } from "../../src/policy/index.ts";
import type { Facts, Policy, Rule, ToolFacts, Verdict } from "../../src/policy/index.ts";

/** The tools that the tests of this folder know, with the risk their authors declare. */
export const TOOLS: ToolFacts[] = [
  { name: "list_files", declared: "auto", fields: ["path"] },
  { name: "read_file", declared: "auto", fields: ["path"] },
  { name: "write_file", declared: "approve", fields: ["path", "content"] },
  { name: "move_file", declared: "approve", fields: ["from", "to"] },
  { name: "delete_file", declared: "approve", fields: ["path"] },
  { name: "run_shell", declared: "approve", fields: ["command"] },
  { name: "sql_query", declared: "approve", fields: ["database", "sql"] },
  { name: "http_request", declared: "approve", fields: ["method", "url", "headers", "body"] },
  { name: "refund", fields: ["amount", "order", "note", "tags"] },
];

export function toolNamed(name: string): ToolFacts {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name} in the tests`);
  return tool;
}

/** A policy with these rules and nothing else. */
export function policyOf(...rules: Rule[]): Policy {
  return definePolicy({ version: 1, rules });
}

/** Judges a call of one of the test tools. */
export function judgeCall(
  policy: Policy,
  name: string,
  args: Record<string, unknown>,
  facts: Facts = {},
): Verdict {
  return evaluate(policy, { name, args }, { tool: toolNamed(name), ...facts });
}

/**
 * The truth of a test on `refund`, seen from outside: a rule that tightens counts for true and unknown, a rule that
 * relaxes counts for true alone.
 */
export function truthOfWhen(when: Rule["when"], args: Record<string, unknown>, facts: Facts = {}): string {
  const tool = toolNamed("refund");
  const tightens = policyOf({ id: "t", tools: ["refund"], when, tier: "deny" });
  const relaxes = policyOf({ id: "r", tools: ["refund"], when, tier: "auto" });
  const denied = evaluate(tightens, { name: "refund", args }, { tool, ...facts }).tier === "deny";
  const passed = evaluate(relaxes, { name: "refund", args }, { tool, ...facts }).tier === "auto";
  if (denied && passed) return "true";
  return denied ? "unknown" : passed ? "impossible" : "false";
}
