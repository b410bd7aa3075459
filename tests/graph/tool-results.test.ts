import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, getCurrentTaskInput, InMemoryStore } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApprovalAgent } from "../../src/graph/index.ts";
import { results } from "./harness.ts";
import { withTool } from "./one-tool.ts";

describe("what a tool gives back", () => {
  it("may be content and an artifact", async () => {
    const one = await withTool(() => ["text", { rows: 3 }], { format: "content_and_artifact" });
    const state = await one.ask("act");
    expect(results(state)["c1"]).toMatchObject({ content: "text", artifact: { rows: 3 } });
  });

  it("may be a tool message of its own, which gets the id of the call", async () => {
    const one = await withTool(() => new ToolMessage({ content: "mine", tool_call_id: "other", name: "x" }));
    const state = await one.ask("act");
    expect(results(state)["c1"]).toMatchObject({ content: "mine", name: "act" });
  });

  it("may be an object, which is told as JSON", async () => {
    const one = await withTool(() => ({ rows: [1, 2] }));
    const state = await one.ask("act");
    expect(results(state)["c1"]?.content).toBe('{"rows":[1,2]}');
  });

  it("may be a command that updates the state", async () => {
    const one = await withTool(
      (_args, config) => {
        const id = String(config["toolCallId"]);
        return new Command({
          update: { messages: [new ToolMessage({ content: "by command", tool_call_id: id })] },
        });
      },
      { tier: "approve" },
    );
    await one.ask("act");
    const state = await one.resume({ type: "approve" });
    expect(results(state)["c1"]?.content).toBe("by command");
    expect(state.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
  });

  it("is answered for the model when a command answers nothing", async () => {
    const one = await withTool(() => new Command({ update: {} }));
    const state = await one.ask("act");
    expect(state.messages.at(-1)?.content).toBe("done");
    expect(results(state)["c1"]).toBeDefined();
  });
});

describe("what a tool gets", () => {
  it("is the state, the store, the call's id and the context of the run", async () => {
    const store = new InMemoryStore();
    await store.put(["a"], "b", { c: 1 });
    const got: Record<string, unknown> = {};
    const one = await withTool(async (args, runtime) => {
      got["args"] = args;
      got["state"] = (runtime["state"] as { messages: unknown[] }).messages.length;
      got["input"] = getCurrentTaskInput<{ messages: unknown[] }>().messages.length;
      got["id"] = runtime["toolCallId"];
      got["store"] = (await runtime.store?.get(["a"], "b"))?.value;
      got["mode"] = (runtime.context as { mode?: string } | undefined)?.mode;
      return "ok";
    });
    const graph = one.graph;
    (graph as { store?: unknown }).store = store;
    await one.ask("act", { context: { mode: "interactive" } });
    expect(got).toEqual({
      args: { n: 1 },
      state: 2,
      input: 2,
      id: "c1",
      store: { c: 1 },
      mode: "interactive",
    });
  });

  it("cannot change what is written of the call", async () => {
    const one = await withTool((args) => {
      args["n"] = 99;
      return "ok";
    });
    await one.ask("act");
    const [started] = (await one.events()).filter(({ type }) => type === "execution_started");
    expect(started?.data).toMatchObject({ args: {} });
  });
});

describe("two tools of one name", () => {
  it("are refused at once", () => {
    const make = () => tool(() => "x", { name: "same", description: "Same.", schema: z.object({}) });
    expect(() => createApprovalAgent({ model: "rehearsal", tools: [make(), make()] })).toThrow(/"same"/);
  });
});
