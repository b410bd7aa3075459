import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApprovalAgent, withRisk, type ApprovalGraph } from "../../src/graph/index.ts";
import { scriptedModel } from "../../src/models/index.ts";
import { agent, bench, call, Effects, remove, type BenchOptions } from "../server/bench.ts";
import { all, sdkOf } from "../server/sdk-client.ts";
import { user, type Values } from "../server/thread-bench.ts";

/** An agent as a tool: it is given a task and lets its own model call its tools. */
function delegating(name: string, inner: ApprovalGraph): ApprovalGraph {
  const body = async (): Promise<string> => {
    const { messages } = (await inner.invoke({ messages: [{ role: "user", content: "go" }] })) as {
      messages: { content: unknown }[];
    };
    return String(messages.at(-1)?.content);
  };
  const delegate = tool(body, { name, description: "Lets another agent do it.", schema: z.object({}) });
  return createApprovalAgent({
    model: scriptedModel([{ tool_calls: [call(name, {}, `c_${name}`)] }, { content: `${name} done` }]),
    tools: [withRisk(delegate, "auto")],
  });
}

/** A graph with another one as its only node. */
function around(node: string, inner: unknown) {
  return new StateGraph(MessagesAnnotation)
    .addNode(node, inner as never)
    .addEdge(START, node)
    .compile();
}

const leaf = (effects: Effects) => agent(effects, [remove("a", "b"), { content: "leaf done" }]);

const forms: [string, (effects: Effects) => unknown, string[], string][] = [
  [
    "an agent that a tool of an agent calls, whose tool an agent calls,",
    (effects) => delegating("outer", delegating("inner", leaf(effects))),
    ["tools", "outer", "tools", "inner"],
    "outer done",
  ],
  [
    "an agent that is a sub-graph of a sub-graph",
    (effects) => around("outer", around("inner", leaf(effects))),
    ["outer", "inner"],
    "leaf done",
  ],
  [
    "an agent that a tool calls in a sub-graph",
    (effects) => around("outer", delegating("inner", leaf(effects))),
    ["outer", "tools", "inner"],
    "inner done",
  ],
];

describe.each(forms)("%s behind the server", (_name, make, path, end) => {
  async function paused(options: BenchOptions = {}) {
    const effects = new Effects();
    const server = await bench([], { effects, config: { graphs: { agent: make(effects) } }, ...options });
    const client = sdkOf(server);
    const { thread_id } = await client.threads.create();
    const streamMode = ["values", "updates"] as const;
    const streamed = { input: user("go"), streamMode: [...streamMode], streamSubgraphs: true };
    const parts = await all(client.runs.stream(thread_id, "agent", streamed));
    return { server, client, thread_id, effects, parts, approvals: await server.pending(thread_id) };
  }

  it("shows where it asks, and its calls run once after approval", async () => {
    const { server, client, thread_id, effects, parts, approvals } = await paused();
    expect(approvals).toMatchObject([{ args: { path: "a" } }, { args: { path: "b" } }]);
    for (const approval of approvals) {
      expect(approval.path.split("|").map((part) => part.split(":")[0])).toEqual(path);
      const shown = await server.get(`/approvals/${approval.approval_id}`);
      expect(shown.body["path"]).toBe(approval.path);
    }
    expect(parts.some(({ event }) => event.startsWith("updates|"))).toBe(true);
    const asked = parts.findLast(({ event }) => event === "updates")?.data as { __interrupt__?: unknown };
    expect(asked.__interrupt__).toHaveLength(2);
    const thread = await client.threads.get(thread_id);
    expect(thread.status).toBe("interrupted");
    expect(Object.values(thread.interrupts).flat()).toHaveLength(2);
    expect(effects.deleted).toEqual([]);

    const [a, b] = approvals.map(({ approval_id }) => approval_id);
    await client.runs.wait(thread_id, "agent", { command: { resume: { [a!]: { type: "approve" } } } });
    expect(effects.deleted).toEqual(["a"]);
    expect(await server.pending(thread_id)).toMatchObject([{ approval_id: b }]);
    const command = { resume: { type: "approve" } };
    const ended = (await client.runs.wait(thread_id, "agent", { command })) as unknown as Values;
    expect(ended).not.toHaveProperty("__interrupt__");
    expect(ended.messages.at(-1)?.content).toBe(end);
    expect(effects.deleted).toEqual(["a", "b"]);
    expect((await client.threads.get(thread_id)).status).toBe("idle");
    expect(server.errors).toEqual([]);
  });

  it("goes on after a restart from decisions at the desk, and runs nothing that was rejected", async () => {
    const { server, thread_id, effects, approvals } = await paused();
    const again = await server.restart({ config: { graphs: { agent: make(effects) } } });
    const client = sdkOf(again);
    expect((await again.pending(thread_id)).map(({ approval_id }) => approval_id)).toEqual(
      approvals.map(({ approval_id }) => approval_id),
    );
    const [a, b] = approvals;
    const decisions = [
      { approval_id: a!.approval_id, type: "reject", message: "no" },
      { approval_id: b!.approval_id, type: "approve" },
    ];
    expect((await again.post("/approvals/decisions", { decisions })).status).toBe(200);
    await client.runs.join(thread_id, (await client.runs.list(thread_id))[0]!.run_id);
    expect(effects.deleted).toEqual(["b"]);
    const { values, next } = await client.threads.getState<Values>(thread_id);
    expect(next).toEqual([]);
    expect(values.messages.at(-1)?.content).toBe(end);
    expect((await again.get("/audit/verify")).body).toMatchObject({ ok: true });
  });
});
