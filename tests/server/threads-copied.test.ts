import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { postgresUrl } from "../setup/postgres.ts";
import { call, remove } from "./bench.ts";
import { asking, foreign } from "./foreign.ts";
import { served, user, type Values } from "./thread-bench.ts";

const turn = {
  tool_calls: [call("delete_file", { path: "a" }, "c_a"), call("read_file", { path: "r" }, "c_r")],
};

describe.each([
  ["SQLite", {}],
  ...(postgresUrl() === undefined ? [] : [["PostgreSQL", { store: postgresUrl()! }] as const]),
] as const)("on %s, a copy", (_name, store) => {
  it("has the states of the first thread, and both go on by themselves", async () => {
    const script = [{ content: "one" }, { content: "two" }];
    const { client, paused, state } = await served(script, store);
    const thread_id = await paused();
    const copy = await client.threads.copy(thread_id);
    expect(copy).toMatchObject({ status: "idle", metadata: { graph_id: "agent" } });
    expect(copy.thread_id).not.toBe(thread_id);
    expect((await state(copy.thread_id)).values).toEqual((await state(thread_id)).values);
    const history = await client.threads.getHistory(copy.thread_id);
    expect(history.map(({ values }) => values)).toEqual(
      (await client.threads.getHistory(thread_id)).map(({ values }) => values),
    );
    await client.runs.wait(copy.thread_id, "agent", { input: user("more") });
    expect((await state(copy.thread_id)).values.messages).toHaveLength(4);
    expect((await state(thread_id)).values.messages).toHaveLength(2);
    await client.threads.delete(thread_id);
    expect((await state(copy.thread_id)).values.messages).toHaveLength(4);
  });

  it("of a paused thread stands before the question, and asks it anew as its own", async () => {
    const { client, paused, pending, state, post, effects } = await served(
      [turn, { content: "done" }],
      store,
    );
    const thread_id = await paused();
    const [asked] = await pending(thread_id);
    const copy = await client.threads.copy(thread_id);
    expect(copy).toMatchObject({ status: "idle", interrupts: {} });
    expect(await pending(copy.thread_id)).toEqual([]);
    expect((await state(copy.thread_id)).tasks.flatMap(({ interrupts }) => interrupts)).toEqual([]);
    await client.runs.wait(copy.thread_id, "agent", { input: null });
    const [own] = await pending(copy.thread_id);
    expect(own).toMatchObject({ tool: "delete_file", args: { path: "a" } });
    expect(own!.approval_id).not.toBe(asked!.approval_id);
    expect(await pending(thread_id)).toHaveLength(1);
    await post(`/approvals/${own!.approval_id}/decision?wait=10`, { type: "approve" });
    expect(effects).toMatchObject({ deleted: ["a"], read: ["r"] });
    expect((await client.threads.get(thread_id)).status).toBe("interrupted");
    expect((await state(copy.thread_id)).values.messages.map(({ type }) => type)).toEqual([
      ...["human", "ai", "tool", "tool", "ai"],
    ]);
  });

  it("has no part in an answer that the first thread got", async () => {
    const { client, paused, pending, post, effects } = await served([remove("a", "b")], store);
    const thread_id = await paused();
    const [a] = await pending(thread_id);
    await post(`/approvals/${a!.approval_id}/decision?wait=10`, { type: "approve" });
    const copy = await client.threads.copy(thread_id);
    await client.runs.wait(copy.thread_id, "agent", { input: null });
    expect(effects.deleted).toEqual(["a"]);
    expect((await pending(copy.thread_id)).map(({ args }) => args["path"])).toEqual(["b"]);
  });

  it("keeps its newest state alone where it is pruned", async () => {
    const script = [{ content: "one" }, { content: "two" }, { content: "three" }];
    const { client, paused, state } = await served(script, store);
    const thread_id = (await client.threads.copy(await paused())).thread_id;
    await client.runs.wait(thread_id, "agent", { input: user("more") });
    const before = await state(thread_id);
    expect(await client.threads.prune([thread_id], { strategy: "keep_latest" })).toEqual({ pruned_count: 1 });
    expect((await state(thread_id)).values).toEqual(before.values);
    expect(await client.threads.getHistory(thread_id)).toHaveLength(1);
    const values = await client.runs.wait(thread_id, "agent", { input: user("and?") });
    expect((values as unknown as Values).messages.map(({ content }) => content)).toEqual([
      ...["go", "one", "more", "two", "and?", "three"],
    ]);
    expect(await client.threads.prune([thread_id], { strategy: "keep_latest" })).toEqual({ pruned_count: 1 });
    expect((await state(thread_id)).values.messages).toHaveLength(6);
  });
});

describe("pruning to the newest state", () => {
  it("leaves a thread with an open question as it is", async () => {
    const { client, paused, pending } = await served([remove("a")]);
    const thread_id = await paused();
    const history = await client.threads.getHistory(thread_id);
    expect(await client.threads.prune([thread_id], { strategy: "keep_latest" })).toEqual({ pruned_count: 0 });
    expect(await client.threads.getHistory(thread_id)).toEqual(history);
    expect(await pending()).toHaveLength(1);
  });

  it("keeps the state of a graph that stores it whole", async () => {
    const { client, go } = await foreign(() =>
      new StateGraph(MessagesAnnotation)
        .addNode("reply", () => ({ messages: [{ role: "assistant", content: "hi" }] }))
        .addEdge(START, "reply")
        .compile(),
    );
    const thread_id = await go();
    await client.threads.prune([thread_id], { strategy: "keep_latest" });
    const values = await client.runs.wait(thread_id, "agent", { input: user("more") });
    expect((values as unknown as Values).messages.map(({ content }) => content)).toEqual([
      ...["go", "hi", "more", "hi"],
    ]);
  });
});

describe("a copy of a thread of another graph", () => {
  it("asks the graph's own question anew", async () => {
    const { client, go, done, statusOf, resume } = await foreign((made) =>
      asking(made, { colour: ["Which colour?"] }),
    );
    const copy = await client.threads.copy(await go({}));
    expect(copy).toMatchObject({ status: "idle", interrupts: {} });
    await client.runs.wait(copy.thread_id, "agent", { input: null });
    expect(await statusOf(copy.thread_id)).toBe("interrupted");
    await resume(copy.thread_id, "red");
    expect(done.answers).toEqual(["red"]);
  });
});
