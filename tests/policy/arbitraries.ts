import fc from "fast-check";
import type { Facts, PolicyInput, Rule, ToolFacts } from "../../src/policy/index.ts";

const tiers = ["auto", "suggest", "approve", "deny"] as const;
const tier = fc.constantFrom(...tiers);
const names = ["read", "write", "shell"];
const words = fc.constantFrom(
  "a",
  "b/c",
  "scratch/x",
  ".env",
  "https://example.com/",
  "ls",
  "ls; rm x",
  "ls $X",
  "",
);
const leaf = fc.oneof(words, fc.integer({ min: -3, max: 9 }), fc.constant(null), fc.boolean());

const predicate: fc.Arbitrary<object> = fc.letrec((tie) => ({
  predicate: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ equals: leaf }),
    fc.record({ in: fc.array(leaf, { minLength: 1, maxLength: 3 }) }),
    fc.record({ gt: fc.integer({ min: -3, max: 9 }) }),
    fc.record({ lte: fc.integer({ min: -3, max: 9 }) }),
    fc.record({ glob: fc.constantFrom("**", "*", "**/.env*", "scratch/**") }),
    fc.record({ regex: fc.constantFrom("a*", ".*", "[a-z/]+") }),
    fc.record({ within: fc.constantFrom("scratch", ".", "b") }),
    fc.record({ host: fc.constantFrom("example.com", "*.example.com") }),
    fc.record({ shell: fc.constantFrom(["ls"], ["ls *", "rm *"]) }),
    fc.record({ exists: fc.boolean() }),
    fc.record({ not: tie("predicate") }),
    fc.record({ any: fc.array(tie("predicate"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ all: fc.array(tie("predicate"), { minLength: 1, maxLength: 3 }) }),
  ),
})).predicate;

const field = fc.constantFrom("path", "n", "deep.x", "ghost");
const fields = fc.dictionary(field, predicate, { minKeys: 1, maxKeys: 2 });
const when = fc.oneof(
  fields,
  fc.record({ not: fields }),
  fc.record({ any: fc.array(fields, { minLength: 1, maxLength: 2 }) }),
);

const groupNames = fc.shuffledSubarray(["team", "leads", "owners"], { minLength: 1 });
const groups = { team: ["a", "b", "c", "d"], leads: ["b", "c", "d"], owners: ["b", "c", "d", "e"] };

const budget = fc.record(
  {
    asks: fc.integer({ min: 0, max: 9 }),
    per: fc.constantFrom("1h", "60m", "1d"),
    by: fc.constantFrom("reviewers", "thread", "run"),
    over: fc.constantFrom("reject", "digest"),
  },
  { requiredKeys: ["asks", "per"] },
);
const repeat = fc.record(
  {
    afterReject: fc.constantFrom("reject", "ask"),
    afterExpiry: fc.constantFrom("reject", "ask"),
    asksPerRun: fc.integer({ min: 1, max: 9 }),
  },
  { requiredKeys: [] },
);
const fatigue = fc.record({ budget, repeat }, { requiredKeys: [] });

export const review = fc.record(
  {
    ask: fc.constantFrom("together", "one-by-one"),
    onNewInput: fc.constantFrom("refuse", "withdraw"),
    decisions: fc.subarray(["approve", "edit", "reject", "respond"], { minLength: 1 }),
    timeout: fc.constantFrom("30s", "15m", "900s", "24h", "7d"),
    requireReason: fc.subarray(["approve", "reject"], { minLength: 1 }),
    quorum: fc.integer({ min: 1, max: 3 }),
    separateDuties: fc.boolean(),
    by: fc.oneof(groupNames, fc.array(groupNames, { minLength: 1, maxLength: 2 })),
    escalate: groupNames,
    onTimeout: fc.constantFrom("reject", "escalate"),
    remember: fc.boolean(),
  },
  { requiredKeys: [] },
);

const rule = fc.record(
  {
    id: fc.uuid(),
    tools: fc.array(fc.constantFrom("*", "r*", ...names), { minLength: 1, maxLength: 2 }),
    when,
    tier,
    review,
  },
  { requiredKeys: ["id", "tools", "tier"] },
) as unknown as fc.Arbitrary<Rule>;

export const rules = fc.uniqueArray(rule, { maxLength: 5, selector: ({ id }) => id });

const mode = fc.constantFrom("interactive", "never", "fail_closed");

export const overlay = fc.record({ mode, default: tier, rules, review, fatigue }, { requiredKeys: [] });

export const document = fc.record(
  {
    version: fc.constant(1 as const),
    groups: fc.constant(groups),
    ...{ mode, default: tier, rules, fatigue },
    review: review.map((one) => ({ ...one, escalate: ["owners"] })),
  },
  { requiredKeys: ["version", "groups", "review"] },
) as unknown as fc.Arbitrary<PolicyInput>;

const odd = fc.constantFrom<unknown>(
  NaN,
  Infinity,
  5n,
  Symbol("x"),
  () => 1,
  new Date(0),
  new Map(),
  "a".repeat(99),
);
const args = fc.dictionary(
  fc.constantFrom("path", "n", "deep", "ghost"),
  fc.oneof(leaf, fc.record({ x: leaf }), fc.array(leaf, { maxLength: 2 }), odd),
  { maxKeys: 4 },
);

export const call = fc.record({ name: fc.constantFrom(...names), args });

const annotations = fc.record(
  { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean(), openWorldHint: fc.boolean() },
  { requiredKeys: [] },
);

/** Facts of a call, the tool's name to be filled in. */
export const facts = fc.record(
  {
    tool: fc.record(
      { declared: tier, annotations, fields: fc.subarray(["path", "n", "deep", "ghost"]) },
      { requiredKeys: [] },
    ),
    paths: fc.dictionary(field, fc.option(fc.constantFrom("scratch/x", "b/c", "", ".env"))),
    args,
  },
  { requiredKeys: [] },
);

export function factsFor(name: string, found: typeof facts extends fc.Arbitrary<infer T> ? T : never): Facts {
  const { tool, ...rest } = found as { tool?: Omit<ToolFacts, "name"> } & Omit<Facts, "tool">;
  return tool === undefined ? rest : { ...rest, tool: { ...tool, name } };
}
