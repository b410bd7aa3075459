import { describe, expect, it } from "vitest";
import { remove, until } from "../server/bench.ts";
import { follow } from "../server/follow.ts";
import { user, type Values } from "../server/thread-bench.ts";
import { refusal } from "../server/sdk-client.ts";
import { Recording } from "./recording.ts";

const recording = new Recording("threads");
const steps = [remove("a"), { content: "done" }];

async function paused() {
  const { server, client } = await recording.connected(steps);
  const { thread_id } = await client.threads.create({ metadata: { team: "blue" }, graphId: "agent" });
  await client.runs.wait(thread_id, "agent", { input: user("go") });
  const [approval] = await server.pending(thread_id);
  const approve = () => client.runs.wait(thread_id, "agent", { command: { resume: { type: "approve" } } });
  return { server, client, thread_id, approval: approval!, approve };
}

describe("the published client's threads", () => {
  it("are created, shown with their open questions, and at rest once these are answered", async () => {
    const { client, thread_id, approval, approve } = await paused();
    const thread = await client.threads.get<Values>(thread_id);
    expect(thread).toMatchObject({
      ...{ thread_id, status: "interrupted", created_at: expect.any(String) as string },
      ...{ updated_at: expect.any(String) as string, state_updated_at: expect.any(String) as string },
      ...{ metadata: { team: "blue", graph_id: "agent" }, values: { messages: [{}, {}] } },
    });
    expect(Object.values(thread.interrupts).flat()).toMatchObject([
      { id: approval.interrupt_id, value: { approval: { approval_id: approval.approval_id } } },
    ]);
    await approve();
    expect(await client.threads.get(thread_id)).toMatchObject({ status: "idle", interrupts: {} });
  });

  it("are updated, searched, counted, copied, pruned and deleted", async () => {
    const { client, thread_id, approve } = await paused();
    const { threads } = client;
    expect(await threads.update(thread_id, { metadata: { tier: 1 }, ttl: 60 })).toMatchObject({
      metadata: { team: "blue", tier: 1 },
    });
    expect(await threads.update(thread_id, { metadata: { tier: 2 }, returnMinimal: true })).toBeUndefined();
    const query = { metadata: { tier: 2 }, status: "interrupted" } as const;
    const found = await threads.search({ ...query, ids: [thread_id], select: ["thread_id", "interrupts"] });
    expect(found).toEqual([{ thread_id, interrupts: expect.any(Object) as object }]);
    expect(Object.values(found[0]!.interrupts).flat()).toHaveLength(1);
    const extract = { last: "values.messages[-1].type" };
    expect(await threads.search({ limit: 1, extract })).toMatchObject([{ extracted: { last: "ai" } }]);
    expect(await threads.count(query)).toBe(1);
    await approve();
    expect(await threads.count(query)).toBe(0);
    const copy = await threads.copy(thread_id);
    expect(copy).toMatchObject({ status: "idle", values: { messages: [{}, {}, {}, {}] } });
    expect(await threads.prune([thread_id], { strategy: "keep_latest" })).toEqual({ pruned_count: 1 });
    expect(await threads.getHistory(thread_id)).toHaveLength(1);
    expect(await threads.prune([copy.thread_id])).toEqual({ pruned_count: 1 });
    await threads.delete(thread_id);
    expect(await threads.count()).toBe(0);
    expect(await refusal(threads.get(thread_id))).toEqual({ status: 404, code: "thread_not_found" });
  });

  it("show their state and their history, by checkpoint, by object and in parts", async () => {
    const { client, thread_id, approval } = await paused();
    const { threads } = client;
    const state = await threads.getState<Values>(thread_id, undefined, { subgraphs: true });
    expect(state).toMatchObject({
      ...{ next: ["tools"], values: { messages: [{ type: "human" }, { type: "ai" }] } },
      ...{ checkpoint: { thread_id, checkpoint_ns: "", checkpoint_id: expect.any(String) as string } },
      ...{ parent_checkpoint: { thread_id }, created_at: expect.any(String) as string },
      ...{ metadata: { source: "loop", step: 1 } },
      tasks: [{ name: "tools", error: null, interrupts: [{ id: approval.interrupt_id }] }],
    });
    const { checkpoint } = state;
    expect(await threads.getState(thread_id, checkpoint)).toEqual(state);
    expect(await threads.getState(thread_id, checkpoint.checkpoint_id!)).toEqual(state);
    const parts = await threads.getState(thread_id, undefined, { select: ["next", "interrupts"] });
    expect(parts).toMatchObject({ next: ["tools"], interrupts: [{ id: approval.interrupt_id }] });
    const history = await threads.getHistory<Values>(thread_id, { limit: 10, select: ["checkpoint"] });
    expect(history).toHaveLength(3);
    const before = { configurable: { checkpoint_id: checkpoint.checkpoint_id } };
    const older = await threads.getHistory<Values>(thread_id, { before, metadata: { source: "input" } });
    expect(older).toMatchObject([{ metadata: { source: "input" } }]);
    expect(await threads.getHistory(thread_id, { checkpoint })).toMatchObject([{ checkpoint }]);
  });

  it("have their state written once nothing is open, and their metadata patched", async () => {
    const { client, thread_id, approve } = await paused();
    const { threads } = client;
    const write = { values: user("more"), asNode: "__start__" };
    expect(await refusal(threads.updateState(thread_id, write))).toEqual({
      ...{ status: 409, code: "approval_pending" },
    });
    await approve();
    const { configurable } = await threads.updateState(thread_id, write);
    const { checkpoint, values } = await threads.getState<Values>(thread_id);
    expect(configurable).toMatchObject({ thread_id, checkpoint_id: checkpoint.checkpoint_id });
    expect(values.messages).toHaveLength(5);
    await threads.patchState(thread_id, { tier: 3 });
    expect((await threads.get(thread_id)).metadata).toMatchObject({ team: "blue", tier: 3 });
  });

  it("are followed from run to run, in the older and the newer protocol", async () => {
    const { client, thread_id, approve } = await paused();
    const leaving = new AbortController();
    const events: string[] = [];
    const reading = (async () => {
      const options = { signal: leaving.signal, streamMode: "run_modes" as const };
      for await (const { event } of client.threads.joinStream(thread_id, options)) events.push(event);
    })().catch(() => undefined);
    const { stream, lifecycle } = follow(client, thread_id);
    await stream.subscribe(["values", "input", "lifecycle"]);
    await until(() => stream.interrupts.length === 1);
    await approve();
    await until(() => events.includes("end"));
    await until(() => lifecycle().includes("completed"));
    leaving.abort();
    await reading;
  });

  it("are all asked for here: no method is left out", () => {
    expect(recording.missed()).toEqual([]);
  });
});
