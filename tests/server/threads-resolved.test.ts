import { tool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApprovalAgent, withRisk } from "../../src/graph/index.ts";
import { scriptedModel } from "../../src/models/index.ts";
import { postgresUrl } from "../setup/postgres.ts";
import { call, remove } from "./bench.ts";
import { asking, foreign, hitlAgent, payment } from "./foreign.ts";
import { served, user, type Values } from "./thread-bench.ts";

const resolved = { values: null, asNode: "__end__" } as const;
const turn = {
  tool_calls: [
    call("delete_file", { path: "a" }, "c_a"),
    call("read_file", { path: "r" }, "c_r"),
    call("delete_file", { path: "b" }, "c_b"),
  ],
};
const REASON = "The thread was marked as resolved.";

describe.each([
  ["SQLite", {}],
  ...(postgresUrl() === undefined ? [] : [["PostgreSQL", { store: postgresUrl()! }] as const]),
] as const)("a thread that is marked as resolved, on %s", (_name, store) => {
  it("has no question left, a valid history, and nothing that goes on", async () => {
    const { client, paused, pending, state, get, effects } = await served(
      [turn, { content: "later" }],
      store,
    );
    const thread_id = await paused();
    const asked = await pending(thread_id);
    expect(asked).toHaveLength(2);
    await client.threads.updateState(thread_id, resolved);
    expect(await pending(thread_id)).toEqual([]);
    for (const { approval_id } of asked)
      expect((await get(`/approvals/${approval_id}`)).body).toMatchObject({
        status: "cancelled",
        decision: { decided_by: { kind: "user" }, reason: REASON },
      });
    const now = await state(thread_id);
    expect(now.next).toEqual([]);
    expect(now.tasks).toEqual([]);
    const { messages } = now.values;
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "tool", "tool"]);
    const answers = messages.slice(2).map(({ tool_call_id, status }) => [tool_call_id, status]);
    expect(answers).toEqual([
      ["c_a", "error"],
      ["c_r", "success"],
      ["c_b", "error"],
    ]);
    expect(messages[2]).toMatchObject({
      content: expect.stringContaining("Nothing was done") as string,
      artifact: { outcome: "cancelled", approval_id: asked[0]!.approval_id, execution: "none" },
    });
    expect(new Set(messages.map(({ id }) => id)).size).toBe(5);
    expect(await client.threads.get(thread_id)).toMatchObject({ status: "idle", interrupts: {} });
    expect(await client.threads.search({ status: "interrupted", ids: [thread_id] })).toEqual([]);
    expect(effects).toMatchObject({ deleted: [], read: ["r"] });
    expect((await get("/audit/verify")).body["ok"]).toBe(true);
  });

  it("goes on with new input, and a late decision is told what stands", async () => {
    const { client, paused, pending, post, effects } = await served([turn, { content: "later" }], store);
    const thread_id = await paused();
    const [asked] = await pending(thread_id);
    await client.threads.updateState(thread_id, resolved);
    const late = await post(`/approvals/${asked!.approval_id}/decision`, { type: "approve" });
    expect(late.status).toBe(410);
    const values = (await client.runs.wait(thread_id, "agent", { input: user("more") })) as unknown as Values;
    expect(values.messages.map(({ type }) => type)).toEqual([
      ...["human", "ai", "tool", "tool", "tool", "human", "ai"],
    ]);
    expect(effects.deleted).toEqual([]);
  });
});

describe("marking a thread as resolved", () => {
  it("ends the calls of a turn that were still to be asked, one by one", async () => {
    const policy = { version: 1 as const, review: { ask: "one-by-one" as const } };
    const { client, paused, pending, state, effects } = await served([remove("a", "b", "c")], { policy });
    const thread_id = await paused();
    expect(await pending()).toHaveLength(1);
    const { checkpoint } = await state(thread_id);
    await client.threads.updateState(thread_id, { values: {}, asNode: "__end__", checkpoint });
    const { next, values } = await state(thread_id);
    expect(next).toEqual([]);
    expect(values.messages.filter(({ type }) => type === "tool").map((one) => one.tool_call_id)).toEqual([
      ...["c_a_0", "c_b_1", "c_c_2"],
    ]);
    expect(await pending()).toEqual([]);
    expect(effects.deleted).toEqual([]);
  });

  it("does not enter again a tool that asked something itself", async () => {
    let entered = 0;
    const choose = tool(
      () => {
        entered += 1;
        return String(interrupt("Which colour?"));
      },
      { name: "choose", description: "Chooses.", schema: z.object({}) },
    );
    const graph = createApprovalAgent({
      model: scriptedModel([{ tool_calls: [call("choose", {}, "c_1")] }]),
      tools: [withRisk(choose, "auto")],
    });
    const { client, paused, state } = await served([], { config: { graphs: { agent: graph } } });
    const thread_id = await paused();
    expect((await client.threads.get(thread_id)).status).toBe("interrupted");
    await client.threads.updateState(thread_id, resolved);
    expect(entered).toBe(1);
    const { next, values } = await state(thread_id);
    expect(next).toEqual([]);
    expect(values.messages.at(-1)).toMatchObject({ tool_call_id: "c_1", artifact: { outcome: "unknown" } });
    expect((await client.threads.get(thread_id)).status).toBe("idle");
  });

  it("leaves a thread at rest as it is", async () => {
    const { client, paused, state } = await served([{ content: "done" }]);
    const thread_id = await paused();
    const before = await state(thread_id);
    await client.threads.updateState(thread_id, resolved);
    expect((await state(thread_id)).values).toEqual(before.values);
    expect((await client.threads.get(thread_id)).status).toBe("idle");
  });

  it("ends the questions of LangChain's own agent, and pays nothing", async () => {
    const { client, done, go, statusOf, pending } = await foreign((made) =>
      hitlAgent(made, [payment("ann", "bob"), { content: "later" }]),
    );
    const thread_id = await go();
    expect(await statusOf(thread_id)).toBe("interrupted");
    await client.threads.updateState(thread_id, resolved);
    expect(await statusOf(thread_id)).toBe("idle");
    const { next, values } = await client.threads.getState<Values>(thread_id);
    expect(next).toEqual([]);
    expect(values.messages.map(({ type, tool_call_id }) => tool_call_id ?? type)).toEqual([
      ...["human", "ai", "c_ann", "c_bob"],
    ]);
    expect(await pending()).toEqual([]);
    const after = (await client.runs.wait(thread_id, "agent", { input: user("more") })) as unknown as Values;
    expect(after.messages.at(-1)?.content).toBe("later");
    expect(done.paid).toEqual([]);
  });

  it("ends the questions of any graph, and keeps what its other nodes have done", async () => {
    const { client, go, statusOf, done, pending } = await foreign((made) =>
      asking(made, { colour: ["Which colour?"], size: [] }),
    );
    const thread_id = await go({});
    expect(await statusOf(thread_id)).toBe("interrupted");
    await client.threads.updateState(thread_id, resolved);
    expect(await statusOf(thread_id)).toBe("idle");
    expect((await client.threads.getState(thread_id)).next).toEqual([]);
    expect(await pending()).toEqual([]);
    expect(done.answers).toEqual([]);
  });
});
