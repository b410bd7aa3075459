import { describe, expect, it } from "vitest";
import {
  definePolicy,
  evaluate,
  formatDuration,
  parseDuration,
  policyJsonSchema,
  PolicyError,
} from "../../src/policy/index.ts";
import { TOOLS } from "./support.ts";

function refusal(input: unknown, tools?: typeof TOOLS): PolicyError {
  try {
    definePolicy(input, tools === undefined ? {} : { tools });
  } catch (error) {
    if (error instanceof PolicyError) return error;
    throw error;
  }
  throw new Error("the policy was accepted");
}

const rule = (more: object) => ({
  version: 1,
  rules: [{ id: "a", tools: ["refund"], tier: "auto", ...more }],
});

const small = { id: "small", tools: ["refund"], sum: "amount", upTo: 100, per: "1d" };

describe("definePolicy", () => {
  it("fills in every default and freezes the result", () => {
    const policy = definePolicy({ version: 1 });
    expect(policy).toEqual({
      version: 1,
      mode: "interactive",
      default: "approve",
      rules: [],
      review: {
        ask: "together",
        onNewInput: "refuse",
        decisions: ["approve", "edit", "reject", "respond"],
        timeout: "24h",
        onTimeout: "reject",
        allowTimeoutApproval: false,
        escalate: [],
        quorum: 1,
        separateDuties: false,
        by: [],
        requireReason: [],
        remember: true,
      },
      grants: { scopes: ["thread"], maxTtl: "8h", maxUses: 50 },
      repeat: { afterReject: "reject", afterExpiry: "ask", asksPerRun: 30 },
      budgets: [],
      allowances: [],
      reviewers: [],
      groups: {},
      rubberStamp: null,
    });
    expect(Object.isFrozen(policy.review.decisions)).toBe(true);
    expect(definePolicy(policy)).toBe(policy);
  });
  it("takes every key of the language at once", () => {
    const shell = ["git status", "git log --oneline", "ls *"];
    const policy = definePolicy({
      version: 1,
      mode: "interactive",
      default: "approve",
      rules: [
        { id: "reads", tools: ["read_file", "list_files"], tier: "auto" },
        { id: "git", tools: ["run_shell"], when: { command: { shell } }, tier: "auto" },
        { id: "scratch", tools: ["write_file"], when: { path: { within: "scratch/" } }, tier: "suggest" },
        {
          id: "keys",
          tools: ["*"],
          when: { path: { glob: "**/.env*" } },
          tier: "deny",
          reason: "Off limits.",
        },
        {
          ...{ id: "refund", tools: ["refund"], when: { amount: { gt: 500 } }, tier: "approve" },
          review: { quorum: 2, by: ["finance"], timeout: "4h", onTimeout: "escalate", remember: false },
        },
      ],
      review: {
        ...{ ask: "together", onNewInput: "refuse", decisions: ["approve", "edit", "reject", "respond"] },
        ...{ timeout: "15m", onTimeout: "reject", escalate: ["leads", "owners"], quorum: 1 },
        ...{ separateDuties: false, by: [], requireReason: ["reject"], remember: true },
      },
      grants: { scopes: ["thread", "user", "everyone"], maxTtl: "8h", maxUses: 50 },
      allowances: [{ id: "small", tools: ["refund"], sum: "amount", upTo: 1000, per: "1d", by: "user" }],
      fatigue: {
        budget: { asks: 12, per: "1h", by: "reviewers", over: "reject" },
        repeat: { afterReject: "reject", afterExpiry: "ask", asksPerRun: 30 },
        rubberStamp: {
          ...{ window: 20, approveRate: 0.95, medianSeconds: 2 },
          then: { requireReason: true, pauseSeconds: 5, secondReviewer: false },
        },
      },
      reviewers: [{ use: "name-registered-in-code", may: ["reject"], timeout: "20s" }],
      groups: { finance: ["u_17", "u_21"], leads: ["u_3"], owners: ["u_1"] },
      mask: ["**.authorization", "**.password"],
    });
    const verdict = evaluate(
      policy,
      { name: "refund", args: { amount: 900 } },
      { tool: { name: "refund", declared: "approve", fields: ["amount"] } },
    );
    expect(verdict).toMatchObject({
      tier: "approve",
      review: {
        ...{ quorum: 2, by: [["finance"]], reviewers: ["u_17", "u_21"], timeoutMs: 900_000 },
        ...{ onTimeout: "escalate", remember: false },
        escalate: [
          { group: "leads", reviewers: ["u_3"] },
          { group: "owners", reviewers: ["u_1"] },
        ],
      },
      allowances: [{ id: "small", upTo: 1000 }],
      budgets: [{ asks: 12, over: "reject" }],
      reviewers: [{ use: "name-registered-in-code" }],
      rubberStamp: { window: 20 },
    });
  });
  it("always allows to reject", () => {
    expect(definePolicy({ version: 1, review: { decisions: ["approve"] } }).review.decisions).toEqual([
      "approve",
      "reject",
    ]);
  });
  it("takes the address of the schema and does not keep it", () => {
    expect(definePolicy({ $schema: "./policy.schema.json", version: 1 })).not.toHaveProperty("$schema");
  });
  it.each<[unknown, string, RegExp]>([
    [undefined, "", /must be JSON/],
    ["text", "", /must be an object/],
    [{}, "version", /must be 1|is required/],
    [{ version: 2 }, "version", /must be 1/],
    [{ version: 1, defualt: "auto" }, "defualt", /did you mean "default"/],
    [{ version: 1, default: "aprove" }, "default", /did you mean "approve"/],
    [{ version: 1, mode: "silent" }, "mode", /is not one of "interactive"/],
    [{ version: 1, allowances: [] }, "allowances", /must not be an empty list/],
    [
      { version: 1, allowances: [{ ...small, tools: ["re*"] }] },
      "allowances[0].tools[0]",
      /without \* and \?/,
    ],
    [{ version: 1, allowances: [{ ...small, per: "1w" }] }, "allowances[0].per", /is no duration/],
    [{ version: 1, allowances: [{ ...small, upTo: -1 }] }, "allowances[0].upTo", /^must be at least 0$/],
    [{ version: 1, allowances: [small, small] }, "allowances[1].id", /is the id of allowances\[0\] already/],
    [{ version: 1, grants: { scopes: [] } }, "grants.scopes", /must not be an empty list/],
    [{ version: 1, fatigue: { budget: {} } }, "fatigue.budget.asks", /is required/],
    [{ version: 1, fatigue: { budget: { asks: 6, per: "1h", ovr: "x" } } }, "fatigue.budget.ovr", /"over"/],
    [{ version: 1, fatigue: { budget: { asks: 6, per: "9999d" } } }, "fatigue.budget.per", /longer than/],
    [
      { version: 1, fatigue: { budget: { asks: 6, per: "1h", over: "escalate" } } },
      "fatigue.budget.over",
      /needs `review\.escalate`/,
    ],
    [
      { version: 1, fatigue: { repeat: { asksPerRun: 0 } } },
      "fatigue.repeat.asksPerRun",
      /must be at least 1/,
    ],
    [
      { version: 1, fatigue: { rubberStamp: { window: 2, then: {} } } },
      "fatigue.rubberStamp.window",
      /must be at least 5/,
    ],
    [{ version: 1, reviewers: [] }, "reviewers", /must not be an empty list/],
    [{ version: 1, reviewers: [{ use: "a", may: ["edit"] }] }, "reviewers[0].may[0]", /is not one of/],
    [{ version: 1, reviewers: [{ use: "a", timeout: "soon" }] }, "reviewers[0].timeout", /is no duration/],
    [{ version: 1, groups: { a: [] } }, "groups.a", /must not be an empty list/],
    [{ version: 1, mask: [] }, "mask", /must not be an empty list/],
    [{ version: 1, review: { quorum: 21 } }, "review.quorum", /^must be at most 20$/],
    [{ version: 1, review: { quorum: 1.5 } }, "review.quorum", /^must be a whole number$/],
    [{ version: 1, review: { quorum: "two" } }, "review.quorum", /^must be a number, not a text$/],
    [{ version: 1, review: { quorum: 0 } }, "review.quorum", /must be at least 1/],
    [
      { version: 1, review: { by: ["x"] } },
      "review.by[0]",
      /"x" is no group of this policy; `groups` has none/,
    ],
    [{ version: 1, groups: { team: ["u"] }, review: { by: ["b"] } }, "review.by[0]", /the groups are team/],
    [
      { version: 1, groups: { a: ["u"] }, review: { by: ["a"], quorum: 2 } },
      "review.by",
      /only 1 may decide/,
    ],
    [
      { version: 1, groups: { a: ["u"], b: ["v"] }, review: { by: [["a"], ["b"]] } },
      "review.by",
      /nobody is in all of these groups/,
    ],
    [{ version: 1, review: { escalate: ["x"] } }, "review.escalate[0]", /is no group/],
    [{ version: 1, review: { onTimeout: "escalate" } }, "review.onTimeout", /needs `escalate`/],
    [{ version: 1, review: { onTimeout: "approve" } }, "review.onTimeout", /"allowTimeoutApproval": true/],
    [{ version: 1, review: { onTimeout: "rejct" } }, "review.onTimeout", /did you mean "reject"/],
    [{ version: 1, review: { decisions: [] } }, "review.decisions", /must not be an empty list/],
    [{ version: 1, review: { decisions: ["aprove"] } }, "review.decisions[0]", /did you mean "approve"/],
    [{ version: 1, review: { timeout: "15 minutes" } }, "review.timeout", /is no duration/],
    [{ version: 1, review: { timeout: "0s" } }, "review.timeout", /is no duration/],
    [{ version: 1, review: { timeout: 900 } }, "review.timeout", /like "15m", not a number/],
    [{ version: 1, review: { timeout: "9999d" } }, "review.timeout", /longer than 3650d/],
    [{ version: 1, rules: [{ tools: ["x"], tier: "auto" }] }, "rules[0].id", /is required/],
    [rule({ tools: [] }), "rules[0].tools", /must not be an empty list/],
    [rule({ tools: ["read_{a,b}"] }), "rules[0].tools[0]", /is no tool name/],
    [rule({ review: { timeout: "1w" } }), "rules[0].review.timeout", /is no duration/],
    [rule({ when: {} }), "rules[0].when", /must name an argument/],
    [rule({ when: { path: {} } }), "rules[0].when.path", /must name a predicate/],
    [rule({ when: { path: { withn: "x" } } }), "rules[0].when.path.withn", /did you mean "within"/],
    [rule({ when: { path: { within: "../x" } } }), "rules[0].when.path.within", /must not contain \.\./],
    [rule({ when: { path: { within: "/etc" } } }), "rules[0].when.path.within", /relative to the workspace/],
    [rule({ when: { path: { glob: "a[" } } }), "rules[0].when.path.glob", /is no glob/],
    [rule({ when: { path: { glob: [] } } }), "rules[0].when.path.glob", /must not be an empty list/],
    [rule({ when: { path: { regex: "(?=x)" } } }), "rules[0].when.path.regex", /is no regular expression/],
    [
      rule({ when: { path: { regex: ["x", "(a{1000}){1000}"] } } }),
      "rules[0].when.path.regex[1]",
      /is no regular/,
    ],
    [rule({ when: { url: { host: "https://x" } } }), "rules[0].when.url.host", /must be a host/],
    [rule({ when: { url: { host: "a.*.com" } } }), "rules[0].when.url.host", /must be a host/],
    [rule({ when: { command: { shell: "a && b" } } }), "rules[0].when.command.shell", /must be one command/],
    [rule({ when: { command: { shell: "A=1 b" } } }), "rules[0].when.command.shell", /assignment/],
    [rule({ when: { command: { shell: "ls > x" } } }), "rules[0].when.command.shell", /redirection/],
    [rule({ when: { command: { shell: "ls *.txt" } } }), "rules[0].when.command.shell", /word of its own/],
    [rule({ when: { command: { shell: "ls $X" } } }), "rules[0].when.command.shell", /need quotes/],
    [rule({ when: { amount: { gt: "5" } } }), "rules[0].when.amount.gt", /must be a number/],
    [rule({ when: { "a..b": { gt: 5 } } }), 'rules[0].when["a..b"]', /names joined by dots/],
    [rule({ when: { amount: { gt: 5, lt: 3 } } }), "rules[0].when.amount", /can never match/],
    [
      rule({ when: { amount: { all: [{ not: { gt: NaN } }] } } }),
      "rules[0].when.amount.all[0].not.gt",
      /finite/,
    ],
    [
      JSON.parse(
        '{"version":1,"rules":[{"id":"a","tools":["x"],"tier":"auto","when":{"__proto__":{"gt":1}}}]}',
      ),
      "rules[0].when.__proto__",
      /not allowed/,
    ],
    [
      { version: 1, rules: [rule({}).rules[0], rule({}).rules[0]] },
      "rules[1].id",
      /is the id of rules\[0\] already/,
    ],
  ])("refuses %j", (input, path, message) => {
    const error = refusal(input);
    expect(error.code).toBe("invalid_policy");
    expect(error.errors[0]?.path).toBe(path);
    expect(error.errors[0]?.message).toMatch(message);
    expect(error.message).toContain(path);
    expect(error.message).not.toContain("\n");
  });
  it("refuses getters, cycles, foreign objects and bottomless nesting", () => {
    const cycle: Record<string, unknown> = { version: 1 };
    cycle["rules"] = [cycle];
    let deep: unknown = { gt: 1 };
    for (let i = 0; i < 10_000; i++) deep = { not: deep };
    const getter = {
      get version() {
        throw new Error("touched");
      },
    };
    for (const input of [
      cycle,
      rule({ when: { amount: deep } }),
      getter,
      new Map(),
      { version: 1, rules: new Set() },
    ]) {
      expect(refusal(input).code).toBe("invalid_policy");
    }
  });
  it("refuses a rule for a tool that does not exist, when it knows the tools", () => {
    const input = { version: 1, rules: [{ id: "a", tools: ["read_flie"], tier: "auto" }] };
    expect(refusal(input, TOOLS).message).toBe(
      'The policy is not valid: rules[0].tools[0]: "read_flie" is no registered tool; did you mean "read_file"?',
    );
    expect(definePolicy(input).rules).toHaveLength(1);
  });
  it("says everything that is wrong, not only the first thing", () => {
    const error = refusal({ version: 1, mode: "x", mask: [], review: { timeout: "x" } });
    expect(error.errors.map(({ path }) => path).sort()).toEqual(["mask", "mode", "review.timeout"]);
    expect(error.message).toContain("(and 2 more)");
  });
});

describe("durations", () => {
  it("are read and written", () => {
    expect(parseDuration("30s")).toBe(30_000);
    expect(parseDuration("15m")).toBe(900_000);
    expect(parseDuration("4h")).toBe(14_400_000);
    expect(parseDuration("7d")).toBe(604_800_000);
    expect([30_000, 900_000, 14_400_000, 86_400_000, 90_000, 1_500].map(formatDuration)).toEqual([
      "30s",
      "15m",
      "4h",
      "1d",
      "90s",
      "2s",
    ]);
  });
  it.each(["", "15", "m", "-5m", "1.5h", "1h30m", "15M", " 5m", "1e3s", "00s", "9999d"])(
    "do not include %j",
    (text) => {
      expect(() => parseDuration(text)).toThrow(RangeError);
    },
  );
});

describe("the JSON Schema", () => {
  const schema = policyJsonSchema();
  it("is of draft 2020-12 and allows no unknown keys", () => {
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      additionalProperties: false,
      required: ["version"],
    });
  });
  it("describes every key", () => {
    const undescribed: string[] = [];
    const visit = (node: unknown, path: string) => {
      if (typeof node !== "object" || node === null) return;
      const { properties, ...rest } = node as { properties?: Record<string, { description?: string }> };
      for (const [key, member] of Object.entries(properties ?? {})) {
        if (member.description === undefined) undescribed.push(`${path}.${key}`);
        visit(member, `${path}.${key}`);
      }
      for (const [key, member] of Object.entries(rest)) visit(member, `${path}.${key}`);
    };
    visit(schema, "");
    expect(undescribed).toEqual([]);
  });
});
