import { describe, expect, it } from "vitest";
import { definePolicy, evaluate, explain } from "../../src/policy/index.ts";
import type { Rule } from "../../src/policy/index.ts";
import { largePolicy, medianOf } from "../bench/fatigue/judging.ts";
import { judgeCall, policyOf, toolNamed } from "./support.ts";

const everyPredicate = policyOf(
  { id: "equals", tools: ["refund"], when: { note: { equals: { a: [1] } } }, tier: "deny" },
  { id: "glob", tools: ["refund"], when: { note: { glob: "**/*a*a*a*a*a*b" } }, tier: "deny" },
  { id: "regex", tools: ["refund"], when: { note: { regex: "((a*)*)*b" } }, tier: "deny" },
  { id: "within", tools: ["refund"], when: { note: { within: "x" } }, tier: "deny" },
  { id: "host", tools: ["refund"], when: { note: { host: "example.com" } }, tier: "deny" },
  { id: "shell", tools: ["refund"], when: { note: { shell: ["ls *"] } }, tier: "deny" },
  { id: "deep", tools: ["refund"], when: { "note.a.b.c": { gt: 5 } }, tier: "deny" },
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
}

function cycle(): unknown {
  const value: Record<string, unknown> = { a: [1] };
  value["a"] = value;
  return value;
}

const hostile: [string, unknown][] = [
  ["nesting 10,000 deep", nested(10_000)],
  ["a text of 5 MB", "a".repeat(5_000_000)],
  ["a text of 5 MB in a list", ["x".repeat(5_000_000)]],
  ["a text that makes backtracking hang", "a".repeat(15_000)],
  ["parentheses", "(".repeat(4_000)],
  ["substitutions", "$(".repeat(2_000)],
  ["here-documents", "<<A ".repeat(1_000)],
  ["backquotes", "`".repeat(4_000)],
  ["braces", "{a,".repeat(1_300)],
  ["words", "a ".repeat(2_000)],
  ["commands", "ls;".repeat(1_300)],
  ["a long path", "../".repeat(2_000)],
  ["a long URL", `https://${"a.".repeat(8_000)}`],
  ["a cycle", cycle()],
  ["a big integer", 10n ** 1_000n],
  ["a symbol", Symbol("x")],
  ["a function", () => 1],
  [
    "a proxy that throws",
    new Proxy(
      {},
      {
        get: () => {
          throw new Error("no");
        },
        getOwnPropertyDescriptor: () => {
          throw new Error("no");
        },
        ownKeys: () => {
          throw new Error("no");
        },
        getPrototypeOf: () => {
          throw new Error("no");
        },
      },
    ),
  ],
];

describe("hostile arguments", () => {
  it.each(hostile)("are answered within 50 ms and never let pass: %s", (_, value) => {
    const judge = (note: unknown) => judgeCall(everyPredicate, "refund", { note });
    const times = [1, 2, 3].map(() => {
      // Between two attempts stands another call, so that nothing is kept from one to the next.
      judge("a");
      const before = process.cpuUsage();
      expect(["approve", "deny"]).toContain(judge(value).tier);
      const used = process.cpuUsage(before);
      return (used.user + used.system) / 1_000;
    });
    // Processor time and the best of three, since the machine may be busy with something else.
    expect(Math.min(...times)).toBeLessThan(50);
  });
  it.each([null, undefined, 5, "text", [], [["path", "x"]], () => 1])(
    "asks when the arguments are %s",
    (args) => {
      const lax = policyOf({ id: "a", tools: ["read_file"], tier: "auto" });
      const call = { name: "read_file", args: args as never };
      expect(evaluate(lax, call, { tool: toolNamed("read_file") }).tier).toBe("approve");
      expect(explain(lax, call, { tool: toolNamed("read_file") })).toContain("read_file: approve.");
    },
  );
  it.each([null, undefined, {}, { name: 5 }, { name: Symbol("x") }])(
    "asks or denies when the call is %s",
    (call) => {
      const lax = definePolicy({ version: 1, default: "auto" });
      expect(["approve", "deny"]).toContain(evaluate(lax, call as never).tier);
    },
  );
});

describe("a policy of 1,000 rules", () => {
  it("judges a call in a few milliseconds", () => {
    const rules = Array.from({ length: 1_000 }, (_, i): Rule => ({
      id: `r${i}`,
      tools: i % 2 === 0 ? ["run_shell"] : ["*"],
      when: i % 3 === 0 ? { command: { shell: [`cmd${i} *`] } } : { command: { regex: `x${i}.*` } },
      tier: i % 2 === 0 ? "auto" : "deny",
    }));
    const policy = definePolicy({ version: 1, rules });
    judgeCall(policy, "run_shell", { command: "ls -la" });
    const before = process.cpuUsage();
    for (let i = 0; i < 10; i++) judgeCall(policy, "run_shell", { command: `ls -la ${i}` });
    expect(process.cpuUsage(before).user / 1_000 / 10).toBeLessThan(50);
  });

  it("judges one of fifty tools in under a millisecond at the median, and does not grow faster than its rules", () => {
    const best = (rules: number) => {
      const policy = largePolicy(rules);
      return Math.min(...Array.from({ length: 5 }, () => medianOf(policy)));
    };
    const [few, many] = [best(100), best(1_000)];
    expect(many).toBeLessThan(1);
    expect(many).toBeLessThan(Math.max(few, 0.02) * 15);
  });
});
