import { describe, expect, it } from "vitest";
import { bench, call, remove, until } from "./bench.ts";
import { all, refusal, sdkOf } from "./sdk-client.ts";

const input = { messages: [{ role: "user", content: "go" }] };
const steps = [remove("a"), { content: "done" }, { content: "again" }];

async function connected(...options: Parameters<typeof bench>) {
  const server = await bench(...options);
  const client = sdkOf(server);
  const { thread_id } = await client.threads.create();
  return { server, client, thread_id };
}

describe("a background run", () => {
  it("goes to its pause without a listener", async () => {
    const { server, client, thread_id } = await connected(steps);
    const run = await client.runs.create(thread_id, "agent", { input, metadata: { by: "cron" } });
    expect(run).toMatchObject({ thread_id, metadata: { by: "cron" }, multitask_strategy: "reject" });
    await until(async () => (await client.runs.get(thread_id, run.run_id)).status === "interrupted");
    expect((await client.threads.get(thread_id)).status).toBe("interrupted");
    expect(await server.pending(thread_id)).toHaveLength(1);
  });

  it("says who began it by `Content-Location`", async () => {
    const { client, thread_id } = await connected(steps);
    const created: unknown[] = [];
    const onRunCreated = (one: unknown) => created.push(one);
    const { run_id } = await client.runs.create(thread_id, "agent", { input, onRunCreated });
    expect(created).toEqual([{ run_id, thread_id }]);
    await client.runs.join(thread_id, run_id);
  });

  it("is joined for what it leaves, while it is live and long after", async () => {
    const { server, client, thread_id } = await connected(steps);
    const { run_id } = await client.runs.create(thread_id, "agent", { input });
    const left = (await client.runs.join(thread_id, run_id)) as { __interrupt__?: unknown[] };
    expect(left.__interrupt__).toHaveLength(1);
    const again = await server.restart();
    expect(await sdkOf(again).runs.join(thread_id, run_id)).toEqual(left);
  });

  it("is listed with the others, newest first, and forgotten when it has ended", async () => {
    const { server, client, thread_id } = await connected(steps);
    const first = await client.runs.create(thread_id, "agent", { input });
    await client.runs.join(thread_id, first.run_id);
    const [approval] = await server.pending(thread_id);
    const { body } = await server.post(`/approvals/${approval!.approval_id}/decision?wait=10`, {
      type: "approve",
    });
    const ids = async (options = {}) =>
      (await client.runs.list(thread_id, options)).map(({ run_id }) => run_id);
    expect(await ids()).toEqual([body["run_id"], first.run_id]);
    expect(await ids({ limit: 1, offset: 1 })).toEqual([first.run_id]);
    expect(await ids({ status: "success" })).toEqual([body["run_id"]]);
    expect(await ids({ status: "interrupted" })).toEqual([first.run_id]);
    const [picked] = await client.runs.list(thread_id, { select: ["run_id", "status"] });
    expect(Object.keys(picked!)).toEqual(["run_id", "status"]);
    await client.runs.delete(thread_id, first.run_id);
    expect(await ids()).toEqual([body["run_id"]]);
    expect((await client.threads.getState<{ messages: unknown[] }>(thread_id)).values.messages).toHaveLength(
      4,
    );
  });

  it("is not forgotten while it is live", async () => {
    const { server, client, thread_id } = await connected([
      { tool_calls: [call("read_file", { path: "a" })] },
      remove("b"),
      { content: "done" },
    ]);
    let open = (): void => undefined;
    server.effects.gate = new Promise((resolve) => (open = resolve));
    const { run_id } = await client.runs.create(thread_id, "agent", { input });
    await client.runs.join(thread_id, run_id);
    const [approval] = await server.pending(thread_id);
    const { body } = await server.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    const live = body["run_id"] as unknown as string;
    expect(await refusal(client.runs.delete(thread_id, live))).toEqual({ status: 409, code: "run_live" });
    open();
    await client.runs.join(thread_id, live);
  });

  it("is not known under another thread", async () => {
    const { client, thread_id } = await connected(steps);
    const { run_id } = await client.runs.create(thread_id, "agent", { input });
    await client.runs.join(thread_id, run_id);
    const other = await client.threads.create();
    const refused = { status: 404, code: "run_not_found" };
    expect(await refusal(client.runs.get(other.thread_id, run_id))).toEqual(refused);
    expect(await refusal(client.runs.cancel(other.thread_id, run_id))).toEqual(refused);
    expect(await refusal(all(client.runs.joinStream(other.thread_id, run_id)))).toEqual(refused);
  });
});

describe("runs without a thread", () => {
  it("run in the background, several at once, and leave nothing", async () => {
    const { client, server } = await connected([{ content: "hi" }]);
    const runs = (await client.runs.createBatch([
      { assistantId: "agent", input },
      { assistantId: "agent", input },
    ])) as unknown as { run_id: string; thread_id: string }[];
    expect(runs).toHaveLength(2);
    for (const { thread_id } of runs)
      await until(async () => (await server.get(`/threads/${thread_id}`)).status === 404);
    expect(server.errors).toEqual([]);
  });

  it("keep their thread when they are told to, and can be asked about", async () => {
    const { client, server } = await connected(steps);
    const run = await client.runs.create(null, "agent", { input, onCompletion: "keep" as never });
    await until(async () => (await server.pending(run.thread_id)).length === 1);
    expect((await client.threads.get(run.thread_id)).status).toBe("interrupted");
  });
});

describe("what a client asks to see", () => {
  it("is traced, checkpointed and debugged as LangGraph's own server does", async () => {
    const { client, thread_id } = await connected([{ content: "hi" }]);
    const streamMode = ["events", "debug", "tasks", "checkpoints", "values"] as const;
    const parts = await all(client.runs.stream(thread_id, "agent", { input, streamMode: [...streamMode] }));
    const names = new Set(parts.map(({ event }) => event));
    expect(names).toEqual(new Set(["metadata", ...streamMode, "end"]));
    const traced = parts
      .filter(({ event }) => event === "events")
      .map(({ data }) => data as { event: string });
    expect(traced.map(({ event }) => event)).toContain("on_chat_model_end");
    const checkpoint = parts.find(({ event }) => event === "checkpoints")?.data;
    expect(checkpoint).toMatchObject({ checkpoint: { thread_id }, next: expect.any(Array) as unknown });
    expect(JSON.stringify(parts)).not.toContain("__pregel_strict_resume");
  });
});
