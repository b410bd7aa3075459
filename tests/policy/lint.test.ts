import { describe, expect, it } from "vitest";
import { lintPolicy } from "../../src/policy/index.ts";
import type { FindingCode, Policy, Rule } from "../../src/policy/index.ts";
import { definePolicy } from "../../src/policy/index.ts";
import { TOOLS } from "./support.ts";

/** A policy that skips the refusals of `definePolicy`, to see what lint alone says. */
function raw(...rules: Rule[]): Policy {
  return { ...definePolicy({ version: 1 }), rules };
}

/** What lint says of rules, where each tool has a declared risk. */
function codes(...rules: Rule[]): string[] {
  const declared = TOOLS.map((tool) => (tool.name === "refund" ? { ...tool, annotations: {} } : tool));
  return lintPolicy(raw(...rules), declared).map(({ severity, code, path }) => `${severity} ${code} ${path}`);
}

/** The warnings of one kind that a policy gets. */
function warnings(code: FindingCode, input: object, tools?: typeof TOOLS): string[] {
  const found = lintPolicy(definePolicy({ version: 1, ...input }), tools);
  return found.filter((one) => one.code === code).map(({ path, message }) => `${path}: ${message}`);
}

const tools = ["refund"];
const tier = "deny";

describe("lint", () => {
  it("has nothing to say of a sound policy", () => {
    expect(
      codes(
        { id: "a", tools: ["read_*"], tier: "auto" },
        { id: "b", tools: ["*"], when: { path: { glob: "**/.env*" } }, tier: "deny" },
        { id: "c", tools: ["delete_file"], when: { path: { within: "tmp" } }, tier: "suggest" },
        { id: "d", tools: ["run_shell"], when: { command: { not: { shell: ["ls *"] } } }, tier: "deny" },
      ),
    ).toEqual([]);
  });
  it("finds tools that do not exist", () => {
    expect(codes({ id: "a", tools: ["read_file", "ghost"], tier })).toEqual([
      "error unknown_tool rules[0].tools[1]",
    ]);
    expect(codes({ id: "a", tools: ["ghost_*"], tier })).toEqual(["error unknown_tool rules[0].tools[0]"]);
    expect(codes({ id: "a", tools: ["read_*", "ghost_*"], tier })).toEqual([
      "warning unknown_tool rules[0].tools[1]",
    ]);
  });
  it("finds two rules of one id", () => {
    expect(codes({ id: "a", tools: ["delete_file"], tier }, { id: "a", tools, tier: "approve" })).toEqual([
      "error duplicate_id rules[1].id",
    ]);
  });
  it.each<[string, NonNullable<Rule["when"]>]>([
    ["bounds that exclude each other", { amount: { gt: 5, lt: 3 } }],
    ["bounds that touch without meeting", { amount: { gte: 5, lt: 5 } }],
    ["bounds in two places", { amount: { gt: 5 }, all: [{ amount: { all: [{ lt: 3 }] } }] }],
    ["a value outside its bounds", { amount: { equals: 3, gt: 5 } }],
    ["values that all fail the rest", { amount: { in: [1, 2], gt: 5 } }],
    ["two values", { amount: { equals: 3 }, all: [{ amount: { equals: 4 } }] }],
    ["a value and its negation", { amount: { equals: 3, not: { equals: 3 } } }],
    ["a text and a number", { note: { regex: "x", gt: 5 } }],
    ["left out and compared", { note: { exists: false, equals: "x" } }],
    ["left out and given", { note: { exists: false, all: [{ exists: true }] } }],
    ["every alternative impossible", { any: [{ amount: { gt: 5, lt: 3 } }, { amount: { gt: 9, lt: 8 } }] }],
  ])("finds a rule that can never match: %s", (_, when) => {
    expect(lintPolicy(raw({ id: "a", tools, when, tier }))[0]).toMatchObject({
      severity: "error",
      code: "never_matches",
    });
  });
  it.each<[string, NonNullable<Rule["when"]>]>([
    ["bounds that meet", { amount: { gte: 5, lte: 5 } }],
    ["one alternative possible", { any: [{ amount: { gt: 5, lt: 3 } }, { amount: { gt: 5 } }] }],
    ["a value inside its bounds", { amount: { in: [1, 9], gt: 5 } }],
    ["a folder and a value", { note: { equals: "x", within: "y" } }],
  ])("finds nothing in %s", (_, when) => {
    expect(lintPolicy(raw({ id: "a", tools, when, tier }))).toEqual([]);
  });
  it("finds a rule on an argument that none of its tools has", () => {
    expect(codes({ id: "a", tools, when: { amuont: { gt: 5 } }, tier })).toEqual([
      "error never_matches rules[0].when.amuont",
    ]);
    expect(
      lintPolicy(raw({ id: "a", tools, when: { amuont: { gt: 5 } }, tier }), TOOLS)[0]?.message,
    ).toContain('did you mean "amount"');
  });
  it("warns of an argument that one of the named tools lacks, or that stands in a branch for nothing", () => {
    expect(
      codes({ id: "a", tools: ["read_file", "move_file"], when: { path: { glob: "x" } }, tier }),
    ).toEqual(["warning unknown_field rules[0].when.path"]);
    expect(
      codes({ id: "a", tools, when: { any: [{ amount: { gt: 5 } }, { ghost: { gt: 5 } }] }, tier }),
    ).toEqual(["warning unknown_field rules[0].when"]);
  });
  it("does not judge arguments of a tool whose schema is not known", () => {
    const open = [{ name: "refund" }];
    expect(lintPolicy(raw({ id: "a", tools, when: { ghost: { gt: 5 } }, tier }), open)).toEqual([]);
  });
  it("warns of a risky tool that may always run", () => {
    expect(codes({ id: "a", tools: ["delete_file"], tier: "auto" })).toEqual([
      "warning relaxed_destructive rules[0].tier",
    ]);
    const annotated = [{ name: "wipe", annotations: { destructiveHint: true } }];
    expect(lintPolicy(raw({ id: "a", tools: ["*"], tier: "suggest" }), annotated)[0]?.code).toBe(
      "relaxed_destructive",
    );
  });
  it("warns of a glob that would go below a declared risk", () => {
    expect(codes({ id: "a", tools: ["*_file"], tier: "auto" })).toEqual([
      "warning glob_relaxes_declared rules[0].tools",
    ]);
  });
  it("warns of a shell test in a rule that tightens", () => {
    const when = { command: { shell: ["rm *"] } };
    expect(codes({ id: "a", tools: ["run_shell"], when, tier })).toEqual([
      "warning shell_tightens rules[0].when",
    ]);
  });
  it("warns of a timeout that is longer than the policy's own", () => {
    const rules: Rule[] = [{ id: "a", tools, tier: "approve", review: { timeout: "4h" } }];
    const policy = definePolicy({ version: 1, review: { timeout: "15m" }, rules });
    expect(lintPolicy(policy, TOOLS)).toMatchObject([{ code: "no_effect", path: "rules[0].review.timeout" }]);
  });
});

describe("lint of a whole policy", () => {
  const amount = { amount: { gt: 5 } };
  it.each<[string, Rule[], string[]]>([
    [
      "one that is milder than another of the same calls",
      [
        { id: "a", tools: ["refund"], when: amount, tier: "suggest" },
        { id: "b", tools: ["re*"], tier: "deny" },
      ],
      ['rules[0]: rule "a" (suggest) changes nothing: "b" (deny) speaks of the same calls and is stricter'],
    ],
    [
      "one that says what another one says",
      [
        { id: "a", tools: ["*"], when: amount, tier: "deny" },
        { id: "b", tools: ["refund", "re*"], when: amount, tier: "deny" },
      ],
      ['rules[1]: rule "b" says what "a" says already'],
    ],
    [
      "none that is stricter, speaks of more calls, or asks in another way",
      [
        { id: "a", tools: ["refund"], tier: "approve" },
        { id: "b", tools: ["refund"], tier: "approve", review: { timeout: "1h" } },
        { id: "c", tools: ["refund"], when: amount, tier: "deny" },
        { id: "d", tools: ["re*"], tier: "suggest" },
      ],
      [],
    ],
  ])("finds rules that change nothing: %s", (_, rules, found) => {
    expect(warnings("shadowed", { rules })).toEqual(found);
  });
  it.each<[object, string]>([
    [{ default: "auto" }, "default"],
    [{ rules: [{ id: "a", tools: ["*"], tier: "suggest" }] }, "rules[0]"],
    [{ grants: { scopes: ["everyone"], maxTtl: "30d" } }, "grants"],
    [{ review: { onTimeout: "approve", allowTimeoutApproval: true, timeout: "30s" } }, "review.timeout"],
    [{ reviewers: [{ use: "a", may: ["approve"] }] }, "reviewers[0].may"],
    [{ fatigue: { rubberStamp: { window: 20, then: {} } } }, "fatigue.rubberStamp.then"],
  ])("warns of %j", (input, path) => {
    const [found, ...others] = warnings("unsafe", input);
    expect(found).toContain(`${path}: `);
    expect(others).toEqual([]);
  });
  it("names the tools of which nobody says anything", () => {
    const told = 'rules: no rule and no declared risk speaks of refund: the default, "approve", decides';
    expect(
      warnings("tool_without_rule", { rules: [{ id: "a", tools: ["*"], tier: "deny" }] }, TOOLS),
    ).toEqual([told]);
    expect(
      warnings("tool_without_rule", { rules: [{ id: "a", tools: ["ref*"], tier: "deny" }] }, TOOLS),
    ).toEqual([]);
    expect(warnings("tool_without_rule", {})).toEqual([]);
  });
  it("reads 2,000 rules without making anybody wait", () => {
    const rules = Array.from({ length: 2_000 }, (_, index): Rule => ({
      id: `r${index}`,
      tools: [`tool_${index}`],
      when: { amount: { gt: index } },
      tier: "deny",
    }));
    const begin = performance.now();
    expect(lintPolicy(definePolicy({ version: 1, rules }))).toEqual([]);
    expect(performance.now() - begin).toBeLessThan(2_000);
  });
});
