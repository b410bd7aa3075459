import { describe, expect, it } from "vitest";
import { bench, question, remove, results, call, type Question } from "./harness.ts";

type Form = [string, (asked: Question) => unknown];
const id = ({ value }: Question): string => value.approval.approval_id;

const approvals: Form[] = [
  ["a bare decision", () => ({ type: "approve" })],
  ["a decision with a reason", () => ({ type: "approve", reason: "Checked." })],
  ["a list of LangChain's", () => ({ decisions: [{ type: "approve" }] })],
  ["the older inbox form", () => [{ type: "accept", args: null }]],
  ["the older form alone", () => ({ type: "accept" })],
  ["a map by interrupt id", (asked) => ({ [asked.id]: { type: "approve" } })],
  [
    "a map by interrupt id to LangChain's list",
    (asked) => ({ [asked.id]: { decisions: [{ type: "approve" }] } }),
  ],
  ["a map by interrupt id to the older form", (asked) => ({ [asked.id]: [{ type: "accept", args: null }] })],
  ["a map by approval id", (asked) => ({ [id(asked)]: { type: "approve" } })],
  ["decisions by approval id", (asked) => ({ decisions: { [id(asked)]: { type: "approve" } } })],
  ["a decision that names its approval", (asked) => ({ type: "approve", approval_id: id(asked) })],
];

const edited = { name: "pay", args: { to: "y", amount: "7" } };
const edits: Form[] = [
  ["plain arguments", () => ({ type: "edit", args: edited.args })],
  ["LangChain's editedAction", () => ({ decisions: [{ type: "edit", editedAction: edited }] })],
  ["LangChain's edited_action", () => ({ decisions: [{ type: "edit", edited_action: edited }] })],
  ["the older inbox form", () => [{ type: "edit", args: { action: "pay", args: edited.args } }]],
  ["a map", (asked) => ({ [id(asked)]: { type: "edit", args: edited.args } })],
];

const rejections: Form[] = [
  ["a bare decision", () => ({ type: "reject", message: "too much" })],
  ["a list of LangChain's", () => ({ decisions: [{ type: "reject", message: "too much" }] })],
  ["the older response", () => [{ type: "response", args: "too much" }]],
  ["a map", (asked) => ({ [asked.id]: { type: "reject", message: "too much" } })],
];

const doors = [
  ["an approval agent", true],
  ["a graph without a door", false],
] as const;

const steps = [{ tool_calls: [call("pay", { to: "x", amount: 100 }, "c1")] }, { content: "done" }];

describe.each(doors)("%s understands", (_name, door) => {
  it.each(approvals)("an approval as %s", async (_form, answer) => {
    const one = await bench(steps, { door });
    await one.resume(answer(question(await one.ask("pay"), "c1")));
    expect(one.effects.paid).toEqual([{ to: "x", amount: 100 }]);
  });

  it.each(edits)("an edit as %s, and reads a number from a text", async (_form, answer) => {
    const one = await bench(steps, { door });
    await one.resume(answer(question(await one.ask("pay"), "c1")));
    expect(one.effects.paid).toEqual([{ to: "y", amount: 7 }]);
  });

  it.each(rejections)("a rejection as %s", async (_form, answer) => {
    const one = await bench(steps, { door });
    const state = await one.resume(answer(question(await one.ask("pay"), "c1")));
    expect(one.effects.paid).toEqual([]);
    expect(results(state)["c1"]?.content).toContain("too much");
  });

  it("the older ignore as a rejection without a message", async () => {
    const one = await bench(steps, { door });
    await one.ask("pay");
    const state = await one.resume([{ type: "ignore", args: null }]);
    expect(one.effects.paid).toEqual([]);
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "rejected" } });
  });

  it("some decisions of a map and leaves the rest open", async () => {
    const one = await bench(
      [{ tool_calls: [remove("a", "c1"), remove("b", "c2"), remove("c", "c3")] }, { content: "done" }],
      { door },
    );
    const before = await one.ask("delete them");
    await one.resume({
      [question(before, "c1").id]: { type: "approve" },
      [question(before, "c3").id]: { type: "approve" },
    });
    expect(one.effects.deleted.sort()).toEqual(["a", "c"]);
    expect(await one.pending()).toMatchObject([{ tool_call_id: "c2" }]);
  });

  it("no number in a text that holds none", async () => {
    const one = await bench(steps, { door });
    await one.ask("pay");
    const state = await one.resume({ type: "edit", args: { to: "y", amount: "seven" } });
    expect(one.effects.paid).toEqual([]);
    expect(question(state, "c1").value.approval.refused).toContain("amount");
    await one.resume({ type: "approve" });
    expect(one.effects.paid).toEqual([{ to: "x", amount: 100 }]);
  });
});

describe.each(doors)("%s refuses, and keeps the question under its id,", (_name, door) => {
  const narrow = {
    version: 1 as const,
    review: {
      decisions: ["approve" as const, "reject" as const],
      requireReason: ["approve" as const, "reject" as const],
    },
  };

  it.each([
    ["a decision that is not allowed", { type: "edit", args: { to: "y", amount: 1 } }],
    ["another one", { type: "respond", message: "done" }],
    ["an approval without the reason that is required", { type: "approve" }],
    ["a rejection without the reason that is required", { type: "reject" }],
    ["an older form that comes to that", [{ type: "accept", args: null }]],
    ["an unknown key", { type: "approve", reason: "ok", argss: {} }],
  ])("%s", async (_case, answer) => {
    const one = await bench(steps, { door, policy: narrow });
    const before = question(await one.ask("pay"), "c1");
    const after = question(await one.resume(answer), "c1");
    expect(after.id).toBe(before.id);
    expect(after.value.approval.refused).not.toBeUndefined();
    const named = question(await one.resume({ [before.id]: answer }), "c1");
    expect(named.id).toBe(before.id);
    expect(one.effects.paid).toEqual([]);
    const state = await one.resume({ [before.id]: { type: "reject", message: "too much" } });
    expect(one.effects.paid).toEqual([]);
    expect(state.__interrupt__).toBeUndefined();
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "rejected" } });
  });

  it("a seal that holds no decision", async () => {
    const one = await bench(steps, { door });
    const { id: interrupt_id, value } = question(await one.ask("pay"), "c1");
    const { approval_id } = value.approval;
    await one.resume({ [interrupt_id]: { countersign: 1, approval_id } });
    await one.resume({ countersign: 1, approval_id });
    expect(one.effects.paid).toEqual([]);
    await one.resume({ [interrupt_id]: { type: "approve" } });
    expect(one.effects.paid).toHaveLength(1);
  });

  it("a seal that names another approval", async () => {
    const one = await bench([{ tool_calls: [remove("a", "c1"), remove("b", "c2")] }, { content: "done" }], {
      door,
    });
    const before = await one.ask("delete both");
    const [first, second] = [question(before, "c1"), question(before, "c2")];
    await one.resume({
      [first.id]: { countersign: 1, approval_id: id(second), decision: { type: "approve" } },
    });
    expect(one.effects.deleted).toEqual([]);
    expect(await one.pending()).toHaveLength(2);
    await one.resume({ [first.id]: { type: "reject" }, [second.id]: { type: "reject" } });
    expect(one.effects.deleted).toEqual([]);
  });
});

describe("the value of a question", () => {
  it("has every spelling that known interfaces read", async () => {
    const one = await bench(steps);
    const { value } = question(await one.ask("pay"), "c1");
    const args = { to: "x", amount: 100 };
    const all = ["approve", "edit", "reject", "respond"];
    const schema = expect.objectContaining({ type: "object" }) as unknown;
    const action = {
      name: "pay",
      args,
      arguments: args,
      description: expect.stringContaining("Pays somebody.") as unknown,
    };
    const review = {
      ...{ actionName: "pay", action_name: "pay", allowedDecisions: all, allowed_decisions: all },
      ...{ argsSchema: schema, args_schema: schema },
    };
    expect(value).toEqual({
      type: "approval_request",
      schema_version: 1,
      actionRequests: [action],
      action_requests: [action],
      reviewConfigs: [review],
      review_configs: [review],
      action_request: { action: "pay", args },
      config: { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true },
      description: action.description,
      approval: {
        approval_id: expect.stringMatching(/^apr_[0-9a-f]{32}$/) as unknown,
        kind: "call",
        tool_call_id: "c1",
        turn_id: expect.any(String) as unknown,
        tier: "approve",
        rules: [],
        reason: expect.any(String) as unknown,
        args_digest: expect.stringMatching(/^sha256:/) as unknown,
        expires_at: expect.any(String) as unknown,
      },
    });
  });

  it.each([
    [
      ["approve", "reject"],
      { allow_accept: true, allow_edit: false, allow_respond: true, allow_ignore: true },
    ],
    [["edit", "reject"], { allow_accept: false, allow_edit: true, allow_respond: true, allow_ignore: true }],
    [["reject"], { allow_accept: false, allow_edit: false, allow_respond: true, allow_ignore: true }],
  ] as const)("has flags that follow the allowed decisions %j", async (decisions, config) => {
    const one = await bench(steps, { policy: { version: 1, review: { decisions: [...decisions] } } });
    const { value } = question(await one.ask("pay"), "c1");
    expect(value["config"]).toEqual(config);
  });

  it("comes with a schema of the answer, from which a form can be drawn", async () => {
    const one = await bench(steps);
    const state = await one.ask("pay");
    const [interrupt] = state.__interrupt__ as unknown as { response_schema: Record<string, unknown> }[];
    expect(interrupt?.response_schema).toMatchObject({
      type: "object",
      required: ["type"],
      properties: { type: { enum: ["approve", "edit", "reject", "respond"] }, args: { type: "object" } },
    });
  });
});
