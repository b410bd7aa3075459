import { describe, expect, it } from "vitest";
import { bench, question, remove, type Bench, type State } from "./harness.ts";

const three = {
  tool_calls: [remove("a.md", "c1"), remove("b.md", "c2"), remove("c.md", "c3")],
};
const steps = [three, { content: "done" }];

/** Answers that are refused while three questions are open, made of the state that shows them. */
const badAnswers: [string, (state: State) => unknown][] = [
  ["a bare approve", () => ({ type: "approve" })],
  ["a bare list of LangChain's", () => ({ decisions: [{ type: "approve" }] })],
  ["three decisions in a list", () => ({ decisions: Array(3).fill({ type: "approve" }) })],
  ["the older inbox form", () => [{ type: "accept", args: null }]],
  ["an unknown interrupt id", () => ({ ["0".repeat(32)]: { type: "approve" } })],
  ["an unknown approval id", () => ({ apr_unknown: { type: "approve" } })],
  ["an unknown approval among decisions", () => ({ decisions: { apr_unknown: { type: "approve" } } })],
  ["an empty map", () => ({})],
  [
    "a map with a stray key",
    (state) => ({ [question(state, "c1").id]: { type: "approve" }, stray: { type: "approve" } }),
  ],
  [
    "a map of approvals with a stray key",
    (state) => ({ [question(state, "c1").value.approval.approval_id]: { type: "approve" }, stray: 1 }),
  ],
  ["false", () => false],
  ["true", () => true],
  ["0", () => 0],
  ["an empty string", () => ""],
  ["a string", () => "approve"],
  ["null", () => null],
  ["an empty list", () => []],
  ["a list of three", () => [{ type: "accept" }, { type: "accept" }, { type: "accept" }]],
  ["an unknown type", () => ({ type: "destroy" })],
  [
    "an unknown type for a named approval",
    (state) => ({ [question(state, "c1").value.approval.approval_id]: { type: "destroy" } }),
  ],
  ["an unknown type for a named interrupt", (state) => ({ [question(state, "c1").id]: { type: "destroy" } })],
  ["nothing for a named interrupt", (state) => ({ [question(state, "c1").id]: null })],
  ["an approval that is named twice", (state) => twice(state)],
];

function twice(state: State): unknown {
  const { id, value } = question(state, "c1");
  return { [id]: { type: "approve" }, [value.approval.approval_id]: { type: "reject" } };
}

/** What a refused answer must leave: nothing ran, all is open under the ids it had. */
async function expectUntouched({ effects, pending, graph, config }: Bench, before: State): Promise<void> {
  expect(effects.deleted).toEqual([]);
  expect((await pending()).map(({ tool_call_id }) => tool_call_id).sort()).toEqual(["c1", "c2", "c3"]);
  const { tasks } = await graph.getState(config as never);
  const ids = tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id));
  expect(ids.sort()).toEqual(before.__interrupt__?.map(({ id }) => id).sort());
}

/** Decides the three one after the other by interrupt id; nothing but what is named may happen. */
async function decideEach({ effects, pending, resume }: Bench, before: State): Promise<void> {
  const idOf = (call: string): string => question(before, call).id;
  await resume({ [idOf("c1")]: { type: "reject", message: "no" } });
  expect(effects.deleted).toEqual([]);
  expect((await pending()).map(({ tool_call_id }) => tool_call_id).sort()).toEqual(["c2", "c3"]);
  await resume({ [idOf("c2")]: { type: "approve" } });
  expect(effects.deleted).toEqual(["b.md"]);
  expect((await pending()).map(({ tool_call_id }) => tool_call_id)).toEqual(["c3"]);
  const end = await resume({ [idOf("c3")]: { type: "reject" } });
  expect(effects.deleted).toEqual(["b.md"]);
  expect(await pending()).toEqual([]);
  expect(end.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "tool", "tool", "ai"]);
}

describe("with three questions open, an approval agent", () => {
  it.each(badAnswers)("refuses %s, says why, and never uses it later", async (_name, answer) => {
    const one = await bench(steps);
    const before = await one.ask("delete them");
    const after = await one.resume(answer(before));
    const notes = after.__interrupt__?.map(({ value }) => value.approval.refused ?? "") ?? [];
    expect(after.__interrupt__).toHaveLength(3);
    expect(notes.some((note) => note !== "")).toBe(true);
    await expectUntouched(one, before);
    await decideEach(one, before);
  });

  it("refuses one bad answer after the other", async () => {
    const one = await bench(steps);
    const before = await one.ask("delete them");
    for (const [, answer] of badAnswers) await one.resume(answer(before));
    await expectUntouched(one, before);
    await decideEach(one, before);
  });
});

describe("with three questions open, a graph without a door", () => {
  it.each(badAnswers)("runs nothing on %s and never uses it later", async (_name, answer) => {
    const one = await bench(steps, { door: false });
    const before = await one.ask("delete them");
    // LangGraph itself refuses some, such as null.
    await one.resume(answer(before)).catch(() => undefined);
    await expectUntouched(one, before);
    await decideEach(one, before);
  });

  it("runs nothing on one bad answer after the other", async () => {
    const one = await bench(steps, { door: false });
    const before = await one.ask("delete them");
    for (const [, answer] of badAnswers) await one.resume(answer(before)).catch(() => undefined);
    await expectUntouched(one, before);
    await decideEach(one, before);
  });
});
