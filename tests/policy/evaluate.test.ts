import { describe, expect, it } from "vitest";
import { definePolicy, evaluate, exceeds, explain, pathArguments } from "../../src/policy/index.ts";
import type { ToolFacts, Verdict } from "../../src/policy/index.ts";
import { judgeCall, policyOf, toolNamed } from "./support.ts";

const anything = definePolicy({ version: 1 });

function baseOf(tool: Partial<ToolFacts>, fallback = "approve"): string {
  const policy = definePolicy({ version: 1, default: fallback });
  return evaluate(policy, { name: "t", args: {} }, { tool: { name: "t", ...tool } }).tier;
}

describe("the base tier", () => {
  it("is the declared risk before anything else", () => {
    expect(baseOf({ declared: "suggest", annotations: { destructiveHint: true } }, "deny")).toBe("suggest");
  });
  it("comes from annotations where no risk is declared", () => {
    expect(baseOf({ annotations: { readOnlyHint: true } })).toBe("auto");
    expect(baseOf({ annotations: { readOnlyHint: false } })).toBe("approve");
    expect(baseOf({ annotations: { destructiveHint: true } })).toBe("approve");
    expect(baseOf({ annotations: { readOnlyHint: true, destructiveHint: true } })).toBe("approve");
    expect(baseOf({ annotations: { destructiveHint: false, openWorldHint: false } })).toBe("suggest");
    expect(baseOf({ annotations: { destructiveHint: false } })).toBe("approve");
    expect(baseOf({ annotations: { idempotentHint: true } }, "auto")).toBe("approve");
    expect(baseOf({ annotations: { idempotentHint: true } }, "deny")).toBe("deny");
  });
  it("is the policy's default where nothing is known", () => {
    expect(baseOf({}, "suggest")).toBe("suggest");
    expect(baseOf({ annotations: {} }, "auto")).toBe("auto");
    expect(baseOf({})).toBe("approve");
  });
  it("is at least approve for an unknown tool and for a risk that cannot be read", () => {
    const lax = definePolicy({ version: 1, default: "auto" });
    expect(evaluate(lax, { name: "ghost", args: {} }, {}).tier).toBe("approve");
    expect(evaluate(lax, { name: "ghost", args: {} }, { tool: toolNamed("read_file") }).tier).toBe("approve");
    expect(baseOf({ declared: "harmless" as never }, "auto")).toBe("approve");
  });
});

describe("the rules", () => {
  it("lets the strictest of the matching ones win, in any order", () => {
    const mild = { id: "mild", tools: ["refund"], tier: "auto" as const };
    const strict = { id: "strict", tools: ["ref*"], when: { amount: { gt: 5 } }, tier: "deny" as const };
    expect(judgeCall(policyOf(mild, strict), "refund", { amount: 9 })).toMatchObject({
      tier: "deny",
      rules: ["mild", "strict"],
    });
    expect(judgeCall(policyOf(strict, mild), "refund", { amount: 9 })).toEqual(
      judgeCall(policyOf(mild, strict), "refund", { amount: 9 }),
    );
    expect(judgeCall(policyOf(mild, strict), "refund", { amount: 1 })).toMatchObject({
      tier: "auto",
      rules: ["mild"],
    });
  });
  it("gives the base when none matches", () => {
    expect(judgeCall(anything, "delete_file", { path: "a" })).toMatchObject({ tier: "approve", rules: [] });
  });
  it("counts an unknown where it tightens and not where it relaxes", () => {
    const when = { amount: { gt: 5 } };
    const relax = policyOf({ id: "r", tools: ["refund"], when, tier: "auto" });
    const tighten = policyOf({ id: "t", tools: ["refund"], when, tier: "deny" });
    expect(judgeCall(relax, "refund", { amount: "9" })).toMatchObject({ tier: "approve", rules: [] });
    expect(judgeCall(tighten, "refund", { amount: "9" })).toMatchObject({ tier: "deny", rules: ["t"] });
  });
  it("counts an unknown that is stricter than a rule that certainly relaxes", () => {
    const policy = policyOf(
      { id: "sure", tools: ["refund"], tier: "auto" },
      { id: "maybe", tools: ["refund"], when: { amount: { gt: 5 } }, tier: "suggest" },
    );
    expect(judgeCall(policy, "refund", { amount: "9" })).toMatchObject({
      tier: "suggest",
      rules: ["maybe", "sure"],
    });
  });
  it("does not let a glob go below a declared risk", () => {
    const policy = policyOf({ id: "all", tools: ["*"], tier: "auto" });
    const verdict = judgeCall(policy, "delete_file", { path: "a" });
    expect(verdict).toMatchObject({ tier: "approve", rules: [] });
    expect(verdict.why).toContain('Rule "all" did not count');
    expect(judgeCall(policy, "refund", {}).tier).toBe("auto");
  });
  it("lets an exact name go below a declared risk", () => {
    const policy = policyOf({ id: "one", tools: ["delete_file"], tier: "auto" });
    expect(judgeCall(policy, "delete_file", { path: "a" })).toMatchObject({ tier: "auto", rules: ["one"] });
  });
  it("lets a glob tighten, also what an exact name relaxes", () => {
    const policy = policyOf(
      { id: "one", tools: ["delete_file"], tier: "auto" },
      { id: "all", tools: ["*_file"], tier: "suggest" },
    );
    expect(judgeCall(policy, "delete_file", { path: "a" }).tier).toBe("suggest");
    expect(judgeCall(policy, "read_file", { path: "a" }).tier).toBe("suggest");
  });
  it("gives the reason of the rules that decide and of no other", () => {
    const policy = policyOf(
      { id: "a", tools: ["refund"], tier: "deny", reason: "Closed." },
      { id: "b", tools: ["refund"], tier: "approve", reason: "Money." },
    );
    expect(judgeCall(policy, "refund", {}).reason).toBe("Closed.");
    expect(judgeCall(anything, "refund", {})).not.toHaveProperty("reason");
  });
});

describe("the review of a call", () => {
  it("is the policy's, with a day to answer when nothing is said", () => {
    expect(judgeCall(anything, "refund", {}).review).toEqual({
      ask: "together",
      onNewInput: "refuse",
      decisions: ["approve", "edit", "reject", "respond"],
      timeoutMs: 86_400_000,
      onTimeout: "reject",
      escalate: [],
      quorum: 1,
      separateDuties: false,
      by: [],
      reviewers: null,
      requireReason: [],
      remember: true,
    });
  });
  it("takes the stricter of each key from the matching rules", () => {
    const policy = definePolicy({
      version: 1,
      review: { timeout: "1h", decisions: ["approve", "edit"] },
      rules: [
        {
          id: "a",
          tools: ["refund"],
          tier: "approve",
          review: { timeout: "5m", requireReason: ["approve"] },
        },
        {
          id: "b",
          tools: ["refund"],
          tier: "approve",
          review: { timeout: "4h", decisions: ["edit", "respond"] },
        },
        { id: "c", tools: ["other"], tier: "approve", review: { timeout: "1s" } },
      ],
    });
    expect(judgeCall(policy, "refund", {}).review).toMatchObject({
      timeoutMs: 300_000,
      decisions: ["edit", "reject"],
      requireReason: ["approve"],
    });
  });
  it("lets a rule wait longer than the default, which nobody has asked for", () => {
    const policy = policyOf({ id: "a", tools: ["refund"], tier: "approve", review: { timeout: "7d" } });
    expect(judgeCall(policy, "refund", {}).review.timeoutMs).toBe(7 * 86_400_000);
  });
});

describe("why and explain", () => {
  const policy = policyOf(
    {
      id: "keys",
      tools: ["*"],
      when: { path: { glob: "**/.env*" } },
      tier: "deny",
      reason: "Key files are off limits.",
    },
    { id: "git", tools: ["run_shell"], when: { command: { shell: ["git status"] } }, tier: "auto" },
  );
  it("name the rule, its test and what cannot be told", () => {
    expect(judgeCall(policy, "read_file", { path: ".env" }).why).toBe(
      'Rule "keys" forbids it when `path` matches the glob "**/.env*".',
    );
    expect(judgeCall(policy, "run_shell", { command: "sudo x" }).why).toBe(
      "No rule matches; the declared risk of run_shell is approve. " +
        'Rule "git" did not count: it cannot be told whether `command` runs only "git status".',
    );
  });
  it("never show an argument's value", () => {
    const text = explain(
      policy,
      { name: "read_file", args: { path: "hunter2/.env" } },
      { tool: toolNamed("read_file") },
    );
    expect(text).not.toContain("hunter2");
    expect(text).toContain("Reason given: Key files are off limits.");
  });
  it("say where the tool stands without rules, which rules do not match, and what the mode makes of it", () => {
    const never = definePolicy({ version: 1, mode: "never", rules: policy.rules });
    const text = explain(
      never,
      { name: "run_shell", args: { command: "rm" } },
      { tool: toolNamed("run_shell") },
    );
    expect(text).toBe(
      "run_shell: approve. No rule matches; the declared risk of run_shell is approve. " +
        'Rule "git" (auto) does not match, it wants that `command` runs only "git status". ' +
        'Rule "keys" (deny) does not match, it wants that `path` matches the glob "**/.env*". ' +
        "The mode is never, so it is rejected at once and nobody is asked.",
    );
  });
});

describe("pathArguments", () => {
  it("names what within and glob look at, for this tool only, at any depth", () => {
    const policy = policyOf(
      { id: "a", tools: ["write_*"], when: { path: { not: { within: "x" } } }, tier: "deny" },
      {
        id: "b",
        tools: ["*"],
        when: { any: [{ to: { glob: "*" } }, { not: { from: { glob: "*" } } }] },
        tier: "deny",
      },
      { id: "c", tools: ["*"], when: { content: { regex: "x" } }, tier: "deny" },
    );
    expect(pathArguments(policy, "write_file")).toEqual(["from", "path", "to"]);
    expect(pathArguments(policy, "move_file")).toEqual(["from", "to"]);
    expect(pathArguments(anything, "write_file")).toEqual([]);
  });
});

describe("silence", () => {
  it("is a consent only where one approval is enough and anybody may give it", () => {
    const silent = { onTimeout: "approve" as const, allowTimeoutApproval: true };
    const onTimeout = (review: object): string => {
      const rules = [{ id: "a", tools: ["read_file"], tier: "approve" as const, review }];
      const policy = definePolicy({ version: 1, groups: { finance: ["u1", "u2"] }, review: silent, rules });
      const facts = { tool: { name: "read_file", declared: "auto" as const } };
      return evaluate(policy, { name: "read_file", args: {} }, facts).review.onTimeout;
    };
    expect([{}, { quorum: 2 }, { by: ["finance"] }].map(onTimeout)).toEqual(["approve", "reject", "reject"]);
  });
});

describe("exceeds", () => {
  const now = (tier: Verdict["tier"], rules: string[]): Verdict => ({
    ...judgeCall(anything, "refund", {}),
    tier,
    rules,
  });
  it("holds for a stricter tier, another rule, or an answer that is no longer offered", () => {
    expect(exceeds(now("deny", []), { tier: "approve", rules: [] })).toBe(true);
    expect(exceeds(now("approve", ["a", "b"]), { tier: "approve", rules: ["a"] })).toBe(true);
    const narrow = policyOf({ id: "a", tools: ["refund"], tier: "approve", review: { decisions: ["edit"] } });
    const disclosed = { tier: "approve", rules: ["a"], decisions: ["approve", "edit", "reject"] } as const;
    expect(exceeds(judgeCall(narrow, "refund", {}), disclosed)).toBe(true);
  });
  it("holds for more people, other groups or separate duties than were told of, and not for fewer", () => {
    const review = { quorum: 2, by: ["finance"], separateDuties: true };
    const rules = [{ id: "a", tools: ["refund"], tier: "approve" as const, review }];
    const policy = definePolicy({ version: 1, groups: { finance: ["u1", "u2"], leads: ["u3"] }, rules });
    const verdict = judgeCall(policy, "refund", {});
    const same = {
      tier: "approve",
      rules: ["a"],
      quorum: 2,
      by: [["finance"]],
      separateDuties: true,
    } as const;
    expect(exceeds(verdict, same)).toBe(false);
    expect(exceeds(verdict, { ...same, quorum: 3, by: [["finance"], ["leads"]] })).toBe(false);
    expect(exceeds(verdict, { ...same, quorum: undefined })).toBe(true);
    expect(exceeds(verdict, { ...same, by: [["leads"]] })).toBe(true);
    expect(exceeds(verdict, { ...same, by: undefined })).toBe(true);
    expect(exceeds(verdict, { ...same, separateDuties: undefined })).toBe(true);
  });
  it("does not hold for the same, for less, or for a call that needs nobody", () => {
    expect(exceeds(now("approve", ["a"]), { tier: "approve", rules: ["a", "b"] })).toBe(false);
    expect(exceeds(now("auto", ["c"]), { tier: "approve", rules: ["a"] })).toBe(false);
    expect(exceeds(now("approve", []), { tier: "deny", rules: [] })).toBe(false);
  });
});
