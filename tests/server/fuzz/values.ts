import fc, { type Arbitrary } from "fast-check";

/** Something in the server that a request may name: the nth of its kind, by its id. */
export interface Ref {
  pool: Pool;
  index: number;
}
export const POOLS = ["thread", "approval", "interrupt", "run", "assistant", "checkpoint", "call"] as const;
export type Pool = (typeof POOLS)[number];

/** Stands in a generated request for an id that is known only when it is sent. */
const MARK = "\ue000";
export const refTo = (pool: Pool): Arbitrary<string> =>
  fc.nat(30).map((index) => `${MARK}${pool}:${index}${MARK}`);
const PATTERN = new RegExp(`${MARK}([a-z]+):(\\d+)${MARK}`, "g");

/** Puts in what references stand for. */
export function resolveRefs(text: string, find: (ref: Ref) => string): string {
  return text.replace(PATTERN, (_, pool: Pool, index: string) => find({ pool, index: Number(index) }));
}

const ODD_TEXTS = [
  ...["", " ", "*", "null", "0", "-1", "1e309", "..", "../../etc/passwd", "%", "%00", "a\u0000b", "\ud800"],
  ...["__proto__", "constructor", "toString", "__end__", "__start__", "__input__", "__remove_all__"],
  ...[
    "'; drop table ledger_events; --",
    '"',
    "\\",
    "‮​",
    "🙂".repeat(40),
    "x".repeat(3_000),
    "[object Object]",
  ],
  ...[
    "2026-13-45T00:00:00Z",
    "00000000-0000-0000-0000-000000000000",
    "apr_0",
    "branch:to:tools",
    "a:b",
    "a.b",
  ],
];
const ODD_KEYS = [
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "length", "", "messages", "__resume__"],
  ...[
    "__pregel_tasks",
    "__pregel_resuming",
    "checkpoint_map",
    "checkpoint_ns",
    "thread_id",
    "policy",
    "mode",
  ],
];
const ODD_NUMBERS = [0, -0, -1, 0.5, 1e21, Number.MAX_SAFE_INTEGER, -1e308, 61, 1_001];

export const oddText = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ maxLength: 12 }));
const leaf = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(...ODD_NUMBERS, true, false, null),
  refTo("thread"),
  refTo("approval"),
);

/** Any JSON, with a liking for what breaks programs. */
export const junk: Arbitrary<unknown> = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    leaf,
    fc.array(tie("any"), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.constantFrom(...ODD_KEYS), tie("any")), { maxLength: 3 })
      // Written with defineProperty inside, so that `__proto__` becomes a key like any other.
      .map((pairs) => Object.fromEntries(pairs)),
  ),
})).any;

const user = (content: unknown): unknown => ({ messages: [{ role: "user", content }] });
const decision = fc.oneof(
  fc.constantFrom<unknown>({ type: "approve" }, { type: "reject" }, { type: "respond", message: "done" }),
  fc.constantFrom<unknown>({ type: "edit", args: { path: "b" } }, { type: "accept" }, { type: "ignore" }),
  fc.record({ type: fc.constantFrom("edit", "response", "reject", "nothing"), args: junk, message: junk }),
);
const answers = fc
  .array(fc.tuple(fc.oneof(refTo("approval"), refTo("interrupt"), oddText), decision), { maxLength: 3 })
  .map((pairs): unknown => Object.fromEntries(pairs));
const aiMessage = fc.record({
  type: fc.constantFrom("ai", "tool", "system", "remove", "human", "odd"),
  content: fc.oneof(fc.constant<unknown>("x"), junk),
  id: oddText,
  tool_call_id: refTo("call"),
  tool_calls: fc.array(
    fc.record({
      name: fc.constantFrom("delete_file", "read_file", "nothing"),
      args: fc.oneof(fc.constant<unknown>({ path: "f" }), junk),
      id: oddText,
    }),
    { maxLength: 2 },
  ),
});
const input = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("delete", "read", "hello", "both", "fail").map(user) },
  { weight: 1, arbitrary: fc.array(aiMessage, { maxLength: 3 }).map((messages): unknown => ({ messages })) },
  { weight: 1, arbitrary: fc.record({ messages: junk }) },
  { weight: 1, arbitrary: fc.constant<unknown>(null) },
  { weight: 1, arbitrary: junk },
);
const rule = fc.record({
  id: fc.constant("r"),
  tools: fc.constantFrom(["delete_file"], ["*"], ["none"], []),
  tier: fc.constantFrom("deny", "auto", "approve", "suggest", "never"),
});
const policy = fc.oneof(
  fc.record({ rules: fc.array(rule, { maxLength: 2 }) }, { requiredKeys: [] }),
  fc.record({ mode: fc.constantFrom("never", "fail_closed", "interactive", "x") }),
  junk,
);
/** Something that is taken, and one time in so many something else. */
const mostly = (good: Arbitrary<unknown>, odd: Arbitrary<unknown> = oddText): Arbitrary<unknown> =>
  fc.oneof({ weight: 20, arbitrary: good }, { weight: 1, arbitrary: odd });
const one = (...values: unknown[]): Arbitrary<unknown> => fc.constantFrom(...values);
const some = (...each: Arbitrary<unknown>[]): Arbitrary<unknown> => fc.oneof(...each);
const start = fc.record({ assistant_id: fc.constant("agent"), input }, { requiredKeys: ["assistant_id"] });
const response = fc.record({
  interrupt_id: refTo("interrupt"),
  response: decision,
  namespace: one([], ["tools"]),
});

/** What stands under a name, wherever that name is: valid more often than not. */
export const BY_NAME: Record<string, Arbitrary<unknown>> = {
  assistant_id: mostly(fc.oneof({ weight: 3, arbitrary: fc.constant("agent") }, refTo("assistant"))),
  graph_id: mostly(fc.constant("agent")),
  thread_id: mostly(refTo("thread")),
  run_id: mostly(refTo("run")),
  approval_id: mostly(refTo("approval")),
  tool_call_id: mostly(refTo("call")),
  checkpoint_id: mostly(some(refTo("checkpoint"), one(null))),
  checkpoint: mostly(some(fc.record({ checkpoint_id: refTo("checkpoint") }), one(null)), junk),
  thread_ids: fc.array(refTo("thread"), { maxLength: 2 }),
  input,
  command: mostly(
    some(
      fc.record({ resume: some(decision, answers) }),
      fc.record({ goto: one("__end__", "agent", "tools", "none", { node: "tools", input: {} }) }),
      fc.record({ update: fc.array(aiMessage, { maxLength: 2 }).map((messages) => ({ messages })) }),
      fc.record({
        goto: fc.record({ node: one("tools", "agent"), input: junk }),
        update: input,
        resume: junk,
      }),
      fc.constant(null),
    ),
    junk,
  ),
  values: some(input, one(null)),
  as_node: mostly(one("agent", "tools", "__end__", "__start__", null, "__copy__")),
  policy,
  context: mostly(some(fc.record({ policy }), one({ mode: "never" }, { mode: "x" }, {}, null)), junk),
  configurable: mostly(one(null, {}, { user: "x" }, { __pregel_resuming: true, thread_id: "x" }), junk),
  params: mostly(some(start, response), junk),
  method: mostly(one("run.start", "input.respond", "input.inject", "agent.getTree", "run.cancel")),
  // Nobody outside this machine is told of anything.
  webhook: mostly(one("http://127.0.0.1:9/", null), one("x", 7, "file:///etc/passwd")),
  url: fc.constant("http://127.0.0.1:9/"),
  // Nor has one an end that waits for its time while a question is open.
  after_seconds: mostly(one(0, null), one("1", -1, 1e10)),
  wait: mostly(one(0, 0.05), one(-1, 61, "x")),
  // A run that waits for its turn behind a question is waited for without end.
  multitask_strategy: mostly(one("reject", "interrupt", "rollback", null), one("odd", 1)),
  interrupt_before: mostly(one(null, [], ["tools"], "*"), junk),
  interrupt_after: mostly(one(null, ["agent"]), junk),
  namespace: mostly(fc.array(one("a", "b"), { minLength: 1, maxLength: 2 }), junk),
  key: mostly(one("k", "l")),
  ttl: mostly(one(null, 1_000), one(-1, "x", { ttl: 1_000, strategy: "delete" })),
  recursion_limit: mostly(one(5, 25, null), one(0, 1e9)),
  stream_mode: mostly(one("values", ["updates", "messages"], "events", null), junk),
  metadata: mostly(one({}, { k: "v" }, null), junk),
};
