import { describe, expect, it } from "vitest";
import { listOf, remove } from "./bench.ts";
import { served, user } from "./thread-bench.ts";

const steps = [{ content: "hello" }, { content: "again" }];

describe("creating threads", () => {
  it("begins with the states that are given", async () => {
    const { client, state } = await served(steps);
    const { thread_id, status } = await client.threads.create({
      graphId: "agent",
      metadata: { team: "blue" },
      ttl: 60,
      supersteps: [
        { updates: [{ values: user("first"), asNode: "__input__" }] },
        { updates: [{ values: user("first"), asNode: "__start__" }] },
        { updates: [{ values: { messages: [{ type: "ai", content: "one" }] }, asNode: "agent" }] },
        { updates: [{ values: null, command: { update: user("second") }, asNode: "agent" }] },
      ],
    });
    expect(status).toBe("idle");
    const now = await state(thread_id);
    expect(now.values.messages.map(({ content }) => content)).toEqual(["first", "one", "second"]);
    expect(now.next).toEqual([]);
    expect(await client.threads.getHistory(thread_id)).toHaveLength(4);
    expect((await client.threads.get(thread_id)).metadata).toMatchObject({ team: "blue", graph_id: "agent" });
  });

  it.each([
    ["no graph", { supersteps: [{ updates: [{ values: user("x"), asNode: "agent" }] }] }],
    [
      "an unknown node",
      { graphId: "agent", supersteps: [{ updates: [{ values: user("x"), asNode: "x" }] }] },
    ],
    [
      "an answer",
      {
        graphId: "agent",
        supersteps: [{ updates: [{ values: null, command: { resume: "yes" }, asNode: "agent" }] }],
      },
    ],
  ])("refuses states with %s, and makes no thread", async (_what, wanted) => {
    const { client } = await served(steps);
    await expect(client.threads.create(wanted)).rejects.toThrow(/invalid_request/);
    expect(await client.threads.count()).toBe(0);
  });

  it("gives the thread there is, untouched, where that is wanted", async () => {
    const { client, state } = await served(steps);
    const { thread_id } = await client.threads.create({ metadata: { team: "blue" } });
    const supersteps = [{ updates: [{ values: user("x"), asNode: "agent" }] }];
    const same = await client.threads.create({
      ...{ threadId: thread_id, ifExists: "do_nothing" as const },
      ...{ graphId: "agent", metadata: { team: "red" }, supersteps },
    });
    expect(same.metadata).toEqual({ team: "blue" });
    expect((await state(thread_id)).values).toEqual({});
  });
});

describe("changing threads", () => {
  it("adds to the metadata, and answers with the thread or with nothing", async () => {
    const { client } = await served(steps);
    const { thread_id } = await client.threads.create({ metadata: { team: "blue", size: 1 } });
    const changed = await client.threads.update(thread_id, { metadata: { size: 2 }, ttl: 5 });
    expect(changed.metadata).toEqual({ team: "blue", size: 2 });
    expect(
      await client.threads.update(thread_id, { metadata: { done: true }, returnMinimal: true }),
    ).toBeUndefined();
    await client.threads.patchState(thread_id, { patched: "yes" });
    const { metadata } = await client.threads.get(thread_id, { include: ["ttl"] });
    expect(metadata).toEqual({ team: "blue", size: 2, done: true, patched: "yes" });
    await expect(client.threads.update("nobody", { metadata: {} })).rejects.toThrow(/thread_not_found/);
  });
});

describe("searching threads", () => {
  it("finds them by how they really stand", async () => {
    const { client, paused, pending, get, post } = await served([remove("a"), { content: "done" }]);
    const thread_id = await paused();
    const { thread_id: idle } = await client.threads.create();
    const found = async (status: "idle" | "busy" | "interrupted" | "error") =>
      (await client.threads.search({ status })).map((one) => one.thread_id);
    expect(await found("interrupted")).toEqual([thread_id]);
    expect(await found("idle")).toEqual([idle]);
    expect(await client.threads.count({ status: "interrupted" })).toBe(1);
    const [approval] = await pending();
    await post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "reject" });
    expect(await found("interrupted")).toEqual([]);
    expect((await found("idle")).toSorted()).toEqual([thread_id, idle].toSorted());
    expect(await found("busy")).toEqual([]);
    expect((await get(`/threads/${thread_id}`)).body["state_updated_at"]).toEqual(expect.any(String));
  });

  it("pages, selects, extracts and counts", async () => {
    const { client, paused, post } = await served(steps);
    const thread_id = await paused();
    for (const size of [1, 2, 3]) await client.threads.create({ metadata: { size, kind: "small" } });
    const filter = { metadata: { kind: "small" }, sort_by: "created_at", sort_order: "asc" };
    const page = await post("/threads/search", { ...filter, limit: 2, select: ["metadata"] });
    expect(page.headers.get("x-pagination-total")).toBe("3");
    expect(page.headers.get("x-pagination-next")).toBe("2");
    expect(page.body).toEqual([1, 2].map((size) => ({ metadata: { size, kind: "small" } })));
    const last = await post("/threads/search", { ...filter, limit: 2, offset: 2 });
    expect(listOf(last.body)).toHaveLength(1);
    expect(last.headers.get("x-pagination-next")).toBeNull();
    const extracted = await client.threads.search({
      ids: [thread_id],
      select: ["thread_id"],
      extract: { last: "values.messages[-1].content", first: "values.messages[0].type", none: "values.x.y" },
    });
    expect(extracted).toEqual([{ thread_id, extracted: { last: "hello", first: "human", none: null } }]);
    expect(await client.threads.count({ metadata: { kind: "small" } })).toBe(3);
    expect(await client.threads.search({ values: { none: 1 } })).toEqual([]);
    await expect(client.threads.search({ extract: { x: "values[" } })).rejects.toThrow(/invalid_request/);
  });
});

describe("pruning threads", () => {
  it("deletes them, with their questions, and counts those there were", async () => {
    const { client, paused, pending } = await served([remove("a")]);
    const thread_id = await paused();
    expect(await client.threads.prune([thread_id, "nobody"])).toEqual({ pruned_count: 1 });
    expect(await pending()).toEqual([]);
    expect(await client.threads.count()).toBe(0);
  });
});
