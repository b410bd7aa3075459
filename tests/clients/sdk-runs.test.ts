import { describe, expect, it } from "vitest";
import { Effects, remove, until } from "../server/bench.ts";
import { all, refusal } from "../server/sdk-client.ts";
import { user } from "../server/thread-bench.ts";
import { Recording } from "./recording.ts";

const recording = new Recording("runs");
const steps = [remove("a"), { content: "done" }];
const approve = { command: { resume: { type: "approve" } } };
const input = user("go");

interface Left {
  messages: { type: string }[];
  __interrupt__?: { id: string; value: unknown }[];
}

async function fresh(script = steps, effects = new Effects()) {
  const { server, client } = await recording.connected(script, { effects });
  const { thread_id } = await client.threads.create();
  return { server, client, runs: client.runs, thread_id, effects };
}

describe("the published client's runs", () => {
  it("are waited for to their question, and from its answer to their end", async () => {
    const { runs, thread_id, effects } = await fresh();
    const asked = (await runs.wait(thread_id, "agent", { input })) as unknown as Left;
    expect(asked.messages.map(({ type }) => type)).toEqual(["human", "ai"]);
    expect(asked.__interrupt__).toMatchObject([{ value: { type: "approval_request" } }]);
    const ended = (await runs.wait(thread_id, "agent", approve)) as unknown as Left;
    expect(ended.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
    expect(ended.__interrupt__).toBeUndefined();
    expect(effects.deleted).toEqual(["a"]);
  });

  it("are streamed to their question, and from its answer to their end", async () => {
    const { runs, thread_id, effects } = await fresh();
    const streamMode = ["values", "updates", "messages-tuple", "custom"] as const;
    const first = await all(
      runs.stream(thread_id, "agent", { input, streamMode: [...streamMode], streamResumable: true }),
    );
    expect(first[0]).toMatchObject({ event: "metadata", data: { run_id: expect.any(String) as string } });
    expect(first.filter(({ event }) => event === "updates").at(-1)?.data).toMatchObject({
      __interrupt__: [{ id: expect.any(String) as string }],
    });
    const second = await all(runs.stream(thread_id, "agent", { ...approve, streamMode: "values" }));
    const values = second.filter(({ event }) => event === "values").at(-1)?.data as unknown as Left;
    expect(values.messages).toHaveLength(4);
    expect(effects.deleted).toEqual(["a"]);
  });

  it("are created in the background, got, listed, joined and deleted", async () => {
    const { runs, thread_id, effects } = await fresh();
    const first = await runs.create(thread_id, "agent", { input, metadata: { by: "cron" } });
    expect(first).toMatchObject({
      ...{ run_id: expect.any(String) as string, thread_id, assistant_id: expect.any(String) as string },
      ...{ created_at: expect.any(String) as string, updated_at: expect.any(String) as string },
      ...{ metadata: { by: "cron" }, multitask_strategy: "reject" },
    });
    const asked = (await runs.join(thread_id, first.run_id)) as unknown as Left;
    expect(asked.__interrupt__).toHaveLength(1);
    expect((await runs.get(thread_id, first.run_id)).status).toBe("interrupted");
    const second = await runs.create(thread_id, "agent", approve);
    const parts = await all(runs.joinStream(thread_id, second.run_id, { streamMode: ["values"] }));
    expect((parts.findLast(({ event }) => event === "values")?.data as Left).messages).toHaveLength(4);
    const listed = await runs.list(thread_id, { limit: 5, offset: 0, select: ["run_id", "status"] });
    expect(listed).toEqual([
      { run_id: second.run_id, status: "success" },
      { run_id: first.run_id, status: "interrupted" },
    ]);
    await runs.delete(thread_id, first.run_id);
    expect(await refusal(runs.get(thread_id, first.run_id))).toEqual({ status: 404, code: "run_not_found" });
    expect(effects.deleted).toEqual(["a"]);
  });

  it("without a thread are begun in a batch, waited for, streamed and joined", async () => {
    const { runs, client } = await fresh([{ content: "hi" }]);
    const batch = await runs.createBatch([
      { assistantId: "agent", input, metadata: { n: 1 } },
      { assistantId: "agent", input },
    ]);
    expect(batch).toMatchObject([{ metadata: { n: 1 } }, { run_id: expect.any(String) as string }]);
    const waited = (await runs.wait(null, "agent", { input })) as unknown as Left;
    expect(waited.messages.map(({ type }) => type)).toEqual(["human", "ai"]);
    const parts = await all(runs.stream(null, "agent", { input, streamMode: "values" }));
    expect(
      (parts.findLast(({ event }) => event === "values")?.data as unknown as Left).messages,
    ).toHaveLength(2);
    // Its thread went with its end, which a client whose connection broke just before can still read.
    await until(async () => (await client.threads.count()) === 1);
    const { run_id } = parts[0]!.data as unknown as { run_id: string };
    expect(await all(runs.joinStream(null, run_id))).toEqual(parts);
    const kept = await runs.create(null, "agent", { input, onCompletion: "keep" as never });
    const joined = await all(runs.joinStream(null, kept.run_id, { streamMode: "values" }));
    expect(joined.at(-1)?.event).toBe("end");
    expect((await client.threads.get(kept.thread_id)).status).toBe("idle");
    await client.threads.delete(kept.thread_id);
    const gone = { status: 404, code: "run_not_found" };
    expect(await refusal(all(runs.joinStream(null, kept.run_id)))).toEqual(gone);
  });

  it("are cancelled, one or many, and what was approved and begun stays done once", async () => {
    const { server, runs, client, thread_id, effects } = await fresh();
    const first = await runs.create(thread_id, "agent", { input });
    await runs.join(thread_id, first.run_id);
    let finish = (): void => undefined;
    effects.gate = new Promise((resolve) => (finish = resolve));
    const live = await runs.create(thread_id, "agent", approve);
    await until(() => effects.begun === 1);
    await runs.cancel(thread_id, live.run_id, false, "interrupt");
    finish();
    await runs.join(thread_id, live.run_id);
    expect((await runs.get(thread_id, live.run_id)).status).toBe("interrupted");
    const later = { input, afterSeconds: 600 };
    const waiting = [
      await runs.create(thread_id, "agent", later),
      await runs.create(thread_id, "agent", later),
    ];
    await runs.cancelMany({ threadId: thread_id, runIds: [waiting[0]!.run_id] });
    const pending = async () => (await runs.list(thread_id, { status: "pending" })).length;
    expect(await pending()).toBe(1);
    await runs.cancelMany({ status: "pending", action: "rollback" });
    expect(await pending()).toBe(0);
    expect(await refusal(runs.get(thread_id, waiting[1]!.run_id))).toMatchObject({ status: 404 });
    expect((await client.threads.get(thread_id)).status).toBe("idle");
    expect(effects.deleted).toEqual(["a"]);
    expect(server.errors).toEqual([]);
  });

  it("are all asked for here: no method is left out", () => {
    expect(recording.missed()).toEqual([]);
  });
});
