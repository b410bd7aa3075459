import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { bench, remove } from "./bench.ts";

const steps = [remove("a", "b"), { content: "done" }];
const input = { messages: [{ role: "user", content: "go" }] };

async function connected() {
  const server = await bench(steps);
  return { ...server, client: new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } }) };
}

interface Values {
  messages: { type: string; content: unknown }[];
  __interrupt__?: { id: string; value: { approval: { approval_id: string } } }[];
}

describe("the official client", () => {
  it("creates, gets, searches and deletes threads", async () => {
    const { client } = await connected();
    const made = await client.threads.create({ metadata: { team: "blue" }, graphId: "agent" });
    expect(made).toMatchObject({
      status: "idle",
      metadata: { team: "blue", graph_id: "agent" },
      interrupts: {},
    });
    await expect(client.threads.create({ threadId: made.thread_id })).rejects.toThrow(/thread_exists/);
    const same = await client.threads.create({ threadId: made.thread_id, ifExists: "do_nothing" });
    expect(same.thread_id).toBe(made.thread_id);
    await client.threads.create({ metadata: { team: "red" } });
    const found = await client.threads.search({ metadata: { team: "blue" } });
    expect(found.map(({ thread_id }) => thread_id)).toEqual([made.thread_id]);
    expect(await client.threads.search({ limit: 1, offset: 1 })).toHaveLength(1);
    expect(await client.threads.getState(made.thread_id)).toMatchObject({ next: [], tasks: [] });
    expect(await client.threads.getHistory(made.thread_id)).toEqual([]);
    await client.threads.delete(made.thread_id);
    await expect(client.threads.get(made.thread_id)).rejects.toThrow(/thread_not_found/);
  });

  it("waits for a run, and resumes it", async () => {
    const { client, effects } = await connected();
    const { thread_id } = await client.threads.create();
    const paused = (await client.runs.wait(thread_id, "agent", { input })) as unknown as Values;
    expect(paused.__interrupt__).toHaveLength(2);
    expect(await client.threads.search({ status: "interrupted" })).toHaveLength(1);
    const state = await client.threads.getState<Values>(thread_id);
    expect(state.next).toEqual(["tools", "tools"]);
    expect(state.tasks.flatMap(({ interrupts }) => interrupts)).toHaveLength(2);
    const [first, second] = paused.__interrupt__!.map(({ id }) => id);
    const resume = { [first!]: { type: "approve" }, [second!]: { type: "reject", message: "no" } };
    const ended = (await client.runs.wait(thread_id, "agent", { command: { resume } })) as unknown as Values;
    expect(ended.__interrupt__).toBeUndefined();
    expect(ended.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "tool", "ai"]);
    expect(effects.deleted).toEqual(["a"]);
    const history = await client.threads.getHistory<Values>(thread_id, { limit: 3 });
    expect(history).toHaveLength(3);
    expect(history[0]?.values.messages).toHaveLength(5);
    const older = await client.threads.getHistory<Values>(thread_id, {
      before: { configurable: { checkpoint_id: history[2]!.checkpoint.checkpoint_id! } },
    });
    expect(older[0]?.checkpoint.checkpoint_id).not.toBe(history[2]!.checkpoint.checkpoint_id);
    expect(older.length).toBeGreaterThan(0);
  });

  it("streams a run to its pause and from its answer to its end", async () => {
    const { client, effects } = await connected();
    const { thread_id } = await client.threads.create();
    const runs: { run_id: string; thread_id?: string }[] = [];
    let values = {} as Values;
    const first = client.runs.stream(thread_id, "agent", {
      input,
      streamMode: ["values", "messages-tuple"],
      onRunCreated: (run) => void runs.push(run),
    });
    for await (const { event, data } of first) if (event === "values") values = data as unknown as Values;
    expect(values.__interrupt__).toHaveLength(2);
    expect(runs).toEqual([{ run_id: expect.any(String) as string, thread_id }]);
    const decisions = values.__interrupt__!.map(({ value }) => [
      value.approval.approval_id,
      { type: "approve" },
    ]);
    const command = { resume: Object.fromEntries(decisions) as Record<string, unknown> };
    const events: string[] = [];
    for await (const { event } of client.runs.stream(thread_id, "agent", { command, streamMode: "updates" }))
      events.push(event);
    expect(events).toContain("updates");
    expect(effects.deleted.toSorted()).toEqual(["a", "b"]);
    expect((await client.threads.get(thread_id)).status).toBe("idle");
  });

  it("is told of a refusal and does not repeat it", async () => {
    const { client, pending } = await connected();
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "agent", { input });
    const bare = client.runs.wait(thread_id, "agent", { command: { resume: { type: "approve" } } });
    await expect(bare).rejects.toThrow(/ambiguous/);
    expect(await pending()).toHaveLength(2);
    await expect(client.runs.wait(thread_id, "nobody", { input })).rejects.toThrow(/graph_not_found/);
  });

  it("takes a thread with open questions away", async () => {
    const { client, pending, get } = await connected();
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "agent", { input });
    const [approval] = await pending();
    await client.threads.delete(thread_id);
    expect(await pending()).toEqual([]);
    expect(await get(`/approvals/${approval!.approval_id}`)).toMatchObject({
      ...{ status: 410, body: { code: "erased" } },
    });
    expect((await get("/audit/verify")).body["ok"]).toBe(true);
  });
});
