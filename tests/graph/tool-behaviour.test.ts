import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, tool } from "@langchain/core/tools";
import {
  Command,
  getCurrentTaskInput,
  InMemoryStore,
  type LangGraphRunnableConfig,
} from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApprovalAgent, withRisk, type RiskOptions, type RiskTier } from "../../src/graph/index.ts";
import { bench, call, question, results, type BenchOptions } from "./harness.ts";

type Body = (
  args: Record<string, unknown>,
  config: LangGraphRunnableConfig & Record<string, unknown>,
) => unknown;

/** A bench whose only tool, "act", does what `body` says. */
function withTool(
  body: Body,
  options: BenchOptions & { tier?: RiskTier; risk?: RiskOptions; format?: string } = {},
) {
  const { tier = "auto", risk = {}, format, ...rest } = options;
  const act = tool(body as never, {
    name: "act",
    description: "Acts.",
    schema: z.object({ n: z.number().default(1) }),
    ...(format !== undefined && { responseFormat: format as "content_and_artifact" }),
  });
  return bench([{ tool_calls: [call("act", {}, "c1")] }, { content: "done" }], {
    tools: [withRisk(act as never, tier, risk)],
    ...rest,
  });
}

describe("a tool that throws after approval", () => {
  it("gives its error to the model, and its approval is used up", async () => {
    let runs = 0;
    const one = await withTool(
      () => {
        runs += 1;
        throw new Error("disk full");
      },
      { tier: "approve" },
    );
    const asked = question(await one.ask("act"), "c1");
    const state = await one.resume({ type: "approve" });
    expect(results(state)["c1"]).toMatchObject({
      status: "error",
      artifact: { outcome: "failed", execution: "failed" },
    });
    expect(results(state)["c1"]?.content).toContain("disk full");
    await one.resume({ [asked.id]: { type: "approve" } });
    await one.resume({ [asked.id]: { type: "reject" } });
    await one.goOn();
    expect(runs).toBe(1);
    expect(await one.approvals()).toMatchObject([{ status: "approved", execution: { state: "failed" } }]);
  });

  it.each([["a text"], [null], [undefined], [{ code: 7 }]])(
    "may throw %j, which is no error",
    async (thrown) => {
      const one = await withTool(() => {
        throw thrown;
      });
      const state = await one.ask("act");
      expect(results(state)["c1"]).toMatchObject({ status: "error", artifact: { outcome: "failed" } });
    },
  );

  it("is tried again inside the one execution when its author says so", async () => {
    let runs = 0;
    const body = (): string => {
      runs += 1;
      if (runs < 3) throw new Error("busy");
      return "at last";
    };
    const one = await withTool(body, { tier: "approve", risk: { idempotent: true, retries: 2 } });
    await one.ask("act");
    const state = await one.resume({ type: "approve" });
    expect(results(state)["c1"]?.content).toBe("at last");
    expect(runs).toBe(3);
    expect(await one.approvals()).toHaveLength(1);
    const started = (await one.events()).filter(({ type }) => type === "execution_started");
    expect(started).toHaveLength(1);
  });

  it("is not tried again otherwise", async () => {
    let runs = 0;
    const one = await withTool(() => {
      runs += 1;
      throw new Error("busy");
    });
    await one.ask("act");
    expect(runs).toBe(1);
  });
});

describe("a tool's own time", () => {
  it("does not count while a person thinks", async () => {
    let now = 0;
    const one = await withTool(() => "quick", { tier: "approve", risk: { timeoutMs: 50 }, clock: () => now });
    await one.ask("act");
    now += 60_000;
    const state = await one.resume({ type: "approve" });
    expect(results(state)["c1"]?.content).toBe("quick");
  });

  it("ends a tool that stops when told to, as failed", async () => {
    const stops = new DynamicStructuredTool({
      name: "act",
      description: "Acts.",
      schema: z.object({}),
      func: (_args, _manager, config) =>
        new Promise((_, reject) => {
          config?.signal?.addEventListener("abort", () => reject(new Error("I stopped.")));
        }),
    });
    const one = await bench([{ tool_calls: [call("act", {}, "c1")] }, { content: "done" }], {
      tools: [withRisk(stops, "auto", { timeoutMs: 30 })],
    });
    const state = await one.ask("act");
    expect(results(state)["c1"]).toMatchObject({ status: "error", artifact: { outcome: "failed" } });
    expect(results(state)["c1"]?.content).toContain("did not end within 0.03 s and was stopped");
  });

  it("takes a result that comes although it was told to stop", async () => {
    const late = new DynamicStructuredTool({
      name: "act",
      description: "Acts.",
      schema: z.object({}),
      func: (_args, _manager, config) =>
        new Promise<string>((resolve) => {
          config?.signal?.addEventListener("abort", () => resolve("half of it"));
        }),
    });
    const one = await bench([{ tool_calls: [call("act", {}, "c1")] }, { content: "done" }], {
      tools: [withRisk(late, "auto", { timeoutMs: 30 })],
    });
    expect(results(await one.ask("act"))["c1"]).toMatchObject({ content: "half of it" });
  });

  it("makes a tool that does not stop unknown, and asks what happened", async () => {
    let runs = 0;
    const one = await withTool(
      () => {
        runs += 1;
        return runs === 1 ? new Promise(() => undefined) : "second time";
      },
      { risk: { timeoutMs: 30 } },
    );
    const state = await one.ask("act");
    expect(question(state, "c1").value.approval).toMatchObject({ kind: "outcome" });
    expect(await one.pending()).toMatchObject([
      { kind: "outcome", allowed_decisions: ["approve", "reject", "respond"] },
    ]);
    const end = await one.resume({ type: "approve" });
    expect(results(end)["c1"]?.content).toBe("second time");
    expect(runs).toBe(2);
  });

  it("makes a safe tool that does not stop unknown without asking", async () => {
    const one = await withTool(() => new Promise(() => undefined), {
      risk: { timeoutMs: 30, readOnly: true },
    });
    const state = await one.ask("act");
    expect(results(state)["c1"]).toMatchObject({ status: "error", artifact: { outcome: "unknown" } });
    expect(await one.pending()).toEqual([]);
  });
});

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
