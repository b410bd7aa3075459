import { describe, expect, it } from "vitest";
import { remove } from "./bench.ts";
import { asking, foreign } from "./foreign.ts";
import { served, type Values } from "./thread-bench.ts";

const steps = [remove("a"), { content: "done" }];

describe("the states of a thread", () => {
  it("are read at any checkpoint, by its id or by itself", async () => {
    const { client, paused } = await served(steps);
    const thread_id = await paused();
    const history = await client.threads.getHistory<Values>(thread_id);
    for (const { checkpoint, values, next } of history) {
      const byId = await client.threads.getState<Values>(thread_id, checkpoint.checkpoint_id!);
      expect(byId).toMatchObject({ checkpoint, values, next });
      expect(await client.threads.getState(thread_id, checkpoint, { subgraphs: true })).toMatchObject({
        next,
      });
    }
    await expect(client.threads.getState(thread_id, "1f000000-0000-6000-8000-000000000000")).rejects.toThrow(
      /checkpoint_not_found/,
    );
    const { thread_id: empty } = await client.threads.create();
    await expect(client.threads.getState(empty, "x")).rejects.toThrow(/checkpoint_not_found/);
  });

  it("come with the wanted fields alone", async () => {
    const { client, paused } = await served(steps);
    const thread_id = await paused();
    const some = await client.threads.getState(thread_id, undefined, { select: ["next", "interrupts"] });
    expect(Object.keys(some).toSorted()).toEqual(["interrupts", "next"]);
    expect(some).toMatchObject({ next: ["tools"], interrupts: [{ id: expect.any(String) as string }] });
    const one = await client.threads.getState<Values>(thread_id, undefined, { select: ["values.messages"] });
    expect(Object.keys(one)).toEqual(["values"]);
    expect(Object.keys(one.values)).toEqual(["messages"]);
    const history = await client.threads.getHistory(thread_id, { select: ["checkpoint"] });
    expect(history.map((state) => Object.keys(state))).toEqual(history.map(() => ["checkpoint"]));
  });

  it("are listed from a checkpoint on, of one checkpoint, and by their metadata", async () => {
    const { client, paused, get } = await served(steps);
    const thread_id = await paused();
    const ids = (await client.threads.getHistory(thread_id)).map((one) => one.checkpoint.checkpoint_id);
    const list = async (wish: Parameters<typeof client.threads.getHistory>[1]) =>
      (await client.threads.getHistory(thread_id, wish)).map((one) => one.checkpoint.checkpoint_id);
    expect(await list({ limit: 1 })).toEqual(ids.slice(0, 1));
    expect(await list({ before: ids[0]! as never })).toEqual(ids.slice(1));
    expect(await list({ before: { configurable: { checkpoint_id: ids[1]! } } })).toEqual(ids.slice(2));
    expect(await list({ checkpoint: { checkpoint_id: ids[1]! } })).toEqual([ids[1]]);
    expect(await list({ metadata: { source: "input" } })).toEqual(ids.slice(-1));
    expect(await list({ metadata: { "$.x": { y: 1 } } })).toEqual([]);
    const byGet = await get(`/threads/${thread_id}/history?limit=2&before=${ids[0]!}`);
    expect(byGet.body).toMatchObject(
      ids.slice(1).map((checkpoint_id) => ({ checkpoint: { checkpoint_id } })),
    );
  });

  it("show what is open, as the thread does", async () => {
    const { client, go } = await foreign((made) => asking(made, { colour: ["Which colour?"] }));
    const thread_id = await go({});
    const { interrupts } = await client.threads.get(thread_id);
    const { tasks } = await client.threads.getState(thread_id);
    expect(Object.values(interrupts).flat()).toHaveLength(1);
    expect(tasks.flatMap((task) => task.interrupts)).toEqual(Object.values(interrupts).flat());
  });
});
