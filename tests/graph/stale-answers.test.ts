import { tool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApprovalAgent, withRisk } from "../../src/graph/index.ts";
import { scriptedModel } from "../../src/models/index.ts";
import { bench, call, question, remove, type State } from "./harness.ts";
import { inMemory } from "./stores.ts";

const doors = [
  ["an approval agent", true],
  ["a graph without a door", false],
] as const;

describe.each(doors)("an answer given to %s", (_name, door) => {
  it("does not come back for the call of a later turn", async () => {
    const one = await bench(
      [{ tool_calls: [remove("a.md", "c1")] }, { tool_calls: [remove("b.md", "c2")] }, { content: "done" }],
      { door },
    );
    await one.ask("delete both");
    const second = await one.resume({ type: "approve" });
    expect(one.effects.deleted).toEqual(["a.md"]);
    expect(second.__interrupt__?.map(({ value }) => value.approval.tool_call_id)).toEqual(["c2"]);
    await one.goOn();
    expect(one.effects.deleted).toEqual(["a.md"]);
    await one.resume({ type: "reject" });
    expect(one.effects.deleted).toEqual(["a.md"]);
  });

  it("does not come back for the next round of the same call", async () => {
    const policy = {
      version: 1 as const,
      rules: [
        { id: "keys", tools: ["delete_file"], when: { path: { glob: "*.key" } }, tier: "approve" as const },
      ],
    };
    const one = await bench([{ tool_calls: [remove("a.md", "c1")] }, { content: "done" }], { door, policy });
    await one.ask("delete it");
    const second = await one.resume({ type: "edit", args: { path: "a.key" } });
    expect(one.effects.deleted).toEqual([]);
    const [next] = await one.pending();
    expect(next).toMatchObject({ round: 2, args: { path: "a.key" } });
    expect(question(second, "c1").value.approval.approval_id).toBe(next?.approval_id);
    await one.goOn();
    expect(one.effects.deleted).toEqual([]);
    await one.resume({ [question(second, "c1").id]: { type: "approve" } });
    expect(one.effects.deleted).toEqual(["a.key"]);
  });

  it("does not answer the next round when it is sent twice under the id of the first", async () => {
    const policy = {
      version: 1 as const,
      rules: [
        { id: "keys", tools: ["delete_file"], when: { path: { glob: "*.key" } }, tier: "approve" as const },
      ],
    };
    const one = await bench([{ tool_calls: [remove("a.md", "c1")] }, { content: "done" }], { door, policy });
    const first = question(await one.ask("delete it"), "c1");
    const answer = { [first.id]: { type: "edit", args: { path: "a.key" } } };
    await one.resume(answer);
    await one.resume(answer);
    await one.resume({ [first.id]: { type: "approve" } });
    expect(one.effects.deleted).toEqual([]);
    expect(await one.pending()).toHaveLength(1);
  });

  it("is not taken when it came with the entry that opens the question", async () => {
    const one = await bench(
      [{ content: "hello" }, { tool_calls: [remove("a.md", "c1")] }, { content: "done" }],
      {
        door,
      },
    );
    await one.ask("hello");
    // The agent is entered with an answer in hand and calls a tool only then.
    await one.graph.updateState(
      one.config as never,
      { messages: [{ role: "user", content: "delete a.md" }] },
      "__start__",
    );
    await one.resume({ type: "approve" });
    expect(one.effects.deleted).toEqual([]);
    expect(await one.pending()).toHaveLength(1);
    await one.goOn();
    expect(one.effects.deleted).toEqual([]);
  });

  it("does not answer what the tool itself asks", async () => {
    const heard: unknown[] = [];
    const careful = withRisk(
      tool(
        () => {
          heard.push(interrupt("How much?"));
          return "ok";
        },
        { name: "careful", description: "Asks.", schema: z.object({}) },
      ),
      "approve",
    );
    const one = await bench([{ tool_calls: [call("careful", {}, "c1")] }, { content: "done" }], {
      door,
      tools: [careful],
    });
    await one.ask("go");
    const asked = await one.resume({ type: "approve" });
    expect(heard).toEqual([]);
    expect(asked.__interrupt__?.map(({ value }) => value)).toEqual(["How much?"]);
    await one.resume(7);
    expect(heard).toEqual([7]);
  });

  it("does not answer the later question of an agent called as a tool", async () => {
    const deleted: string[] = [];
    const erase = withRisk(
      tool(({ path }) => void deleted.push(path), {
        name: "erase",
        description: "Erases.",
        schema: z.object({ path: z.string() }),
      }),
      "approve",
    );
    const stores = inMemory();
    const inner = createApprovalAgent({
      model: scriptedModel([{ tool_calls: [call("erase", { path: "x" }, "i1")] }, { content: "erased" }], {
        strict: true,
      }),
      tools: [erase],
      ledger: (await stores()).ledger,
    });
    const delegate = withRisk(
      tool(
        async () => {
          const input = { messages: [{ role: "user", content: "erase x" }] };
          const { messages } = (await inner.invoke(input)) as unknown as State;
          return String(messages.at(-1)?.content);
        },
        { name: "delegate", description: "Lets another agent do it.", schema: z.object({}) },
      ),
      "approve",
    );
    const one = await bench([{ tool_calls: [call("delegate", {}, "c1")] }, { content: "done" }], {
      door,
      tools: [delegate],
      stores,
    });
    await one.ask("go");
    await one.resume({ type: "approve" });
    expect(deleted).toEqual([]);
    expect((await one.pending()).map(({ tool }) => tool)).toEqual(["erase"]);
    await one.goOn();
    expect(deleted).toEqual([]);
  });
});

describe("an approval agent", () => {
  it("takes a bare answer once only one question is left", async () => {
    const one = await bench([
      { tool_calls: [remove("a.md", "c1"), remove("b.md", "c2")] },
      { content: "done" },
    ]);
    const before = await one.ask("delete both");
    await one.resume({ type: "approve" });
    await one.resume({ [question(before, "c1").id]: { type: "reject" } });
    expect(one.effects.deleted).toEqual([]);
    await one.resume({ type: "approve" });
    expect(one.effects.deleted).toEqual(["b.md"]);
  });

  it("does not take an answer to an old checkpoint", async () => {
    const one = await bench([
      { tool_calls: [remove("a.md", "c1")] },
      { tool_calls: [remove("b.md", "c2")] },
      { content: "done" },
    ]);
    const first = question(await one.ask("delete both"), "c1");
    const old = (await one.graph.getState(one.config as never)).config.configurable;
    await one.resume({ type: "reject" });
    await one.resume({ [first.id]: { type: "approve" } }, { configurable: { ...old } });
    await one.resume({ type: "approve" }, { configurable: { ...old } });
    expect(one.effects.deleted).toEqual([]);
    expect((await one.pending()).map(({ tool_call_id }) => tool_call_id)).toEqual(["c2"]);
  });

  it("takes an answer that names the newest checkpoint", async () => {
    const one = await bench([{ tool_calls: [remove("a.md", "c1")] }, { content: "done" }]);
    await one.ask("delete it");
    const head = (await one.graph.getState(one.config as never)).config.configurable;
    await one.resume({ type: "approve" }, { configurable: { ...head } });
    expect(one.effects.deleted).toEqual(["a.md"]);
  });

  it("does nothing on an answer when nothing is open", async () => {
    const one = await bench([{ content: "hello" }]);
    await one.ask("hello");
    const state = await one.resume({ type: "approve" });
    expect(state.messages.map(({ type }) => type)).toEqual(["human", "ai"]);
  });
});
