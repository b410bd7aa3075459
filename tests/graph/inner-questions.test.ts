import { tool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApprovalAgent, withRisk, type ApprovalGraph } from "../../src/graph/index.ts";
import { openDesk } from "../../src/desk/index.ts";
import { scriptedModel } from "../../src/models/index.ts";
import { bench, call, question, remove, results, type BenchOptions, type State } from "./harness.ts";
import { sampleTools, noEffects, type Effects } from "./sample-tools.ts";
import { sqliteFiles } from "./stores.ts";

const sqlite = sqliteFiles();
const nothing = z.object({});

/** A tool that does something before it asks, between two questions, and after them. */
function asker(log: string[]) {
  const body = (): string => {
    log.push("body");
    const size: unknown = interrupt("What size?");
    const colour: unknown = interrupt("What colour?");
    log.push(`order ${String(size)} ${String(colour)}`);
    return `ordered ${String(size)} ${String(colour)}`;
  };
  return tool(body, { name: "order", description: "Orders.", schema: nothing });
}

describe.each([
  ["an approval agent", true],
  ["a graph without a door", false],
] as const)("in %s, a tool that asks something itself", (_name, door) => {
  it("gets each answer to its own question, after its approval", async () => {
    const log: string[] = [];
    let one = await bench([{ tool_calls: [call("order", {}, "c1")] }, { content: "done" }], {
      stores: sqlite(),
      door,
      tools: [withRisk(asker(log), "approve")],
    });
    const asked = question(await one.ask("order"), "c1");
    const first = await one.resume({ [asked.id]: { type: "approve" } });
    expect(first.__interrupt__?.map(({ value }) => value)).toEqual(["What size?"]);
    expect(await one.approvals()).toMatchObject([{ status: "approved", execution: { state: "paused" } }]);
    one = await one.reopened();
    const second = await one.resume({ [first.__interrupt__?.[0]?.id ?? ""]: 42 });
    expect(second.__interrupt__?.map(({ value }) => value)).toEqual(["What colour?"]);
    const end = await one.resume({ [second.__interrupt__?.[0]?.id ?? ""]: "red" });
    expect(log).toEqual(["body", "body", "body", "order 42 red"]);
    expect(results(end)["c1"]).toMatchObject({ content: "ordered 42 red", artifact: { outcome: "done" } });
    const types = (await one.events()).map(({ type }) => type);
    expect(types.filter((type) => type === "execution_started")).toHaveLength(1);
    expect(types.filter((type) => type === "execution_resumed")).toHaveLength(2);
    expect(types.filter((type) => type === "tool_result")).toHaveLength(1);
  });

  it("gets the answers one by one beside a question of ours", async () => {
    const log: string[] = [];
    const one = await bench(
      [{ tool_calls: [call("order", {}, "c1"), remove("a", "c2")] }, { content: "done" }],
      {
        door,
        tools: [withRisk(asker(log), "auto"), ...sampleTools(noEffects())],
      },
    );
    const state = await one.ask("order and delete");
    expect(state.__interrupt__).toHaveLength(2);
    const own = state.__interrupt__?.find(({ value }) => (value as unknown) === "What size?");
    // Without a door LangGraph gives a bare answer to all that is open.
    if (door) await one.resume({ type: "approve" });
    expect(await one.pending()).toHaveLength(1);
    const next = await one.resume({ [own?.id ?? ""]: 5 });
    expect(await one.pending()).toHaveLength(1);
    const colour = next.__interrupt__?.find(({ value }) => (value as unknown) === "What colour?");
    const end = await one.resume({
      [colour?.id ?? ""]: "blue",
      [question(next, "c2").id]: { type: "reject" },
    });
    expect(results(end)["c1"]?.content).toBe("ordered 5 blue");
    expect(results(end)["c2"]).toMatchObject({ artifact: { outcome: "rejected" } });
  });
});

interface Nested extends BenchOptions {
  effects: Effects;
}

/** An agent as a tool: it is given a task and lets its own model call `delete_file`. */
function delegate(name: string, inner: ApprovalGraph) {
  const body = async (): Promise<string> => {
    const state = (await inner.invoke({
      messages: [{ role: "user", content: "go" }],
    })) as unknown as State;
    return String(state.messages.at(-1)?.content);
  };
  return tool(body, { name, description: "Lets another agent do it.", schema: nothing });
}

async function nested(
  depth: 1 | 2,
  tier: "auto" | "approve",
): Promise<Awaited<ReturnType<typeof bench>> & Nested> {
  const effects = noEffects();
  const stores = sqlite();
  const { ledger } = await stores();
  let inner = createApprovalAgent({
    model: scriptedModel([{ tool_calls: [remove("deep.md", "i1")] }, { content: "inner done" }], {
      strict: true,
    }),
    tools: sampleTools(effects),
    ledger,
  });
  if (depth === 2) {
    inner = createApprovalAgent({
      model: scriptedModel([{ tool_calls: [call("deeper", {}, "m1")] }, { content: "middle done" }], {
        strict: true,
      }),
      tools: [withRisk(delegate("deeper", inner), "auto")],
      ledger,
    });
  }
  const one = await bench([{ tool_calls: [call("deep", {}, "c1")] }, { content: "done" }], {
    stores,
    ledger,
    tools: [withRisk(delegate("deep", inner), tier)],
  });
  return { ...one, effects };
}

describe.each([1, 2] as const)("an agent called as a tool, %i deep,", (depth) => {
  it("asks about its own call, which runs once after approval", async () => {
    const one = await nested(depth, "auto");
    const state = await one.ask("go deep");
    expect(one.effects.deleted).toEqual([]);
    const [pending] = await one.pending();
    expect(pending).toMatchObject({ tool: "delete_file", tool_call_id: "i1" });
    // Each level has the tools node and the tool's own task in it.
    expect(pending?.path.split("|").map((part) => part.split(":")[0])).toEqual(
      depth === 1 ? ["tools", "deep"] : ["tools", "deep", "tools", "deeper"],
    );
    expect(question(state, "i1").value.approval.approval_id).toBe(pending?.approval_id);
    const end = await one.resume({ [pending?.approval_id ?? ""]: { type: "approve" } });
    expect(one.effects.deleted).toEqual(["deep.md"]);
    expect(results(end)["c1"]?.content).toBe(depth === 1 ? "inner done" : "middle done");
    expect(end.__interrupt__).toBeUndefined();
  });

  it("does not run its call after a rejection", async () => {
    const one = await nested(depth, "approve");
    await one.ask("go deep");
    await one.resume({ type: "approve" });
    expect(one.effects.deleted).toEqual([]);
    const end = await one.resume({ type: "reject" });
    expect(one.effects.deleted).toEqual([]);
    expect(end.__interrupt__).toBeUndefined();
    expect((await one.approvals()).map(({ status }) => status)).toEqual(["approved", "rejected"]);
  });

  it("is left behind with its question when new input comes", async () => {
    const one = await nested(depth, "auto");
    await one.ask("go deep");
    await one.ask("never mind");
    expect((await one.approvals()).map(({ status }) => status)).toEqual(["cancelled"]);
    expect(await one.ledger.openCalls(one.config.configurable.thread_id)).toEqual([]);
    expect(one.effects.deleted).toEqual([]);
  });

  it("goes on from a decision at the desk when the graph is entered again", async () => {
    const one = await nested(depth, "auto");
    await one.ask("go deep");
    const [pending] = await one.pending();
    await openDesk(one.ledger).decide(pending?.approval_id ?? "", { type: "approve" });
    await one.goOn();
    expect(one.effects.deleted).toEqual(["deep.md"]);
  });
});
