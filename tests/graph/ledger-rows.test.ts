import { tool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openDesk } from "../../src/desk/index.ts";
import { withRisk } from "../../src/graph/index.ts";
import { bench, call, question, remove, type Bench, type BenchOptions } from "./harness.ts";
import { sampleTools, noEffects } from "./sample-tools.ts";

/** Each call that began has one result, each question one answer, and each execution one end. */
async function expectPaired(one: Bench): Promise<void> {
  const events = await one.events();
  const of = (type: string): string[] =>
    events
      .filter((event) => event.type === type)
      .map(({ call_id, data }) => `${call_id} ${"approval_id" in data ? data.approval_id : ""}`)
      .sort();
  const asked = events.flatMap(({ type, call_id, data }) =>
    type === "approval_requested" && data.announced !== true ? [`${call_id} ${data.approval_id}`] : [],
  );
  expect(of("tool_result")).toEqual(of("tool_call_started"));
  expect(of("approval_resolved")).toEqual(asked.sort());
  expect(of("execution_finished")).toEqual(of("execution_started"));
  expect((await one.ledger.verify()).broken).toEqual([]);
}

const steps = [{ tool_calls: [remove("a", "c1")] }, { content: "done" }];
const ends: [string, unknown, string][] = [
  ["an approval", { type: "approve" }, "user"],
  ["an edit", { type: "edit", args: { path: "b" } }, "user"],
  ["a rejection", { type: "reject" }, "user"],
  ["an answer", { type: "respond", message: "done" }, "user"],
];

describe("for each way a call can end there are paired rows:", () => {
  it.each(ends)("%s", async (_case, decision, kind) => {
    const one = await bench(steps);
    await one.ask("delete");
    await one.resume({ ...(decision as object), decided_by: { kind: "grant", id: "boss" } });
    // A decision that claims who made it is no valid one.
    expect(await one.pending()).toHaveLength(1);
    await one.resume(decision);
    await expectPaired(one);
    expect((await one.approvals())[0]?.decision?.decided_by).toEqual({ kind });
  });

  it.each<[string, BenchOptions, string]>([
    ["policy, in the mode never", { policy: { version: 1, mode: "never" } }, "policy"],
    ["policy, without a checkpointer", { checkpointer: false }, "policy"],
    ["the system, when the reviewer throws", { answer: () => Promise.reject(new Error("away")) }, "system"],
  ])("%s", async (_case, options, kind) => {
    const one = await bench(steps, options);
    await one.ask("delete");
    await expectPaired(one);
    expect((await one.approvals())[0]?.decision?.decided_by.kind).toBe(kind);
  });

  it("a clock", async () => {
    let now = Date.now();
    const one = await bench(steps, { clock: () => now });
    await one.ask("delete");
    now += 25 * 3_600_000;
    expect(await openDesk(one.ledger, { clock: () => now }).expireDue()).toBe(1);
    await one.goOn();
    await expectPaired(one);
    expect((await one.approvals())[0]?.decision?.decided_by).toEqual({ kind: "timeout" });
  });

  it("a withdrawal, new input, a denial, an announcement, what is not valid", async () => {
    const calls = [
      ...[
        remove("a", "c1"),
        remove("b", "c2"),
        call("wipe", { path: "/" }, "c3"),
        call("note", { text: "x" }, "c4"),
      ],
      ...[call("nothing", {}, "c5"), call("pay", {}, "c6")],
    ];
    const one = await bench([
      { tool_calls: calls, invalid_tool_calls: [{ name: "pay", args: "{", id: "c7" }] },
      { content: "done" },
    ]);
    const before = await one.ask("all");
    await openDesk(one.ledger).withdraw(question(before, "c1").value.approval.approval_id);
    await one.ask("never mind");
    await expectPaired(one);
    expect((await one.events()).filter(({ type }) => type === "tool_result")).toHaveLength(7);
  });

  it("an edit that needed another question", async () => {
    const one = await bench(steps);
    await one.ask("delete");
    await one.resume({ type: "edit", editedAction: { name: "pay", args: { to: "x", amount: 1 } } });
    await one.resume({ type: "approve" });
    await expectPaired(one);
  });
});

describe("the custom stream of a run", () => {
  it("has each event of the contract once, however often its task is entered", async () => {
    const order = withRisk(
      tool(() => `${String(interrupt("Size?"))} ${String(interrupt("Colour?"))}`, {
        name: "order",
        description: "Orders.",
        schema: z.object({}),
      }),
      "approve",
    );
    const one = await bench(
      [{ tool_calls: [call("order", {}, "c1"), remove("a", "c2")] }, { content: "done" }],
      {
        tools: [order, ...sampleTools(noEffects())],
      },
    );
    const seen: Record<string, unknown>[] = [];
    const run = async (input: unknown): Promise<void> => {
      const stream = await one.graph.stream(input as never, { ...one.config, streamMode: "custom" } as never);
      for await (const event of stream as AsyncIterable<Record<string, unknown>>) seen.push(event);
    };
    const { Command } = await import("@langchain/langgraph");
    await run({ messages: [{ role: "user", content: "order and delete" }] });
    for (let entries = 0; entries < 6; entries += 1) {
      const { tasks } = await one.graph.getState(one.config as never);
      const open = tasks.flatMap(({ interrupts, result }) => (result === undefined ? interrupts : []));
      if (open.length === 0) break;
      const [{ id, value }] = open as [{ id: string; value: unknown }];
      await run(new Command({ resume: { [id]: typeof value === "string" ? "XL" : { type: "approve" } } }));
    }
    const written = await one.events();
    const contract = written.filter(({ type }) => !type.startsWith("execution_"));
    expect(seen.map(({ seq }) => seq).sort()).toEqual(contract.map(({ seq }) => seq).sort());
    expect(seen.filter(({ type }) => type === "tool_result")).toHaveLength(2);
    for (const event of seen)
      expect(event).toMatchObject({ v: 1, thread_id: one.config.configurable.thread_id });
  });
});
