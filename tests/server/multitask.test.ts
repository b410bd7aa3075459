import { describe, expect, it } from "vitest";
import { bench, Effects, remove, until } from "./bench.ts";
import { refusal, sdkOf } from "./sdk-client.ts";

const say = (content: string) => ({ messages: [{ role: "user", content }] });
const steps = [remove("a"), { content: "first done" }, { content: "second done" }];

/** A thread on which a deletion was approved and is running now. */
async function deleting(script: Parameters<typeof bench>[0] = steps) {
  const effects = new Effects();
  let finish = (): void => undefined;
  effects.gate = new Promise((resolve) => (finish = resolve));
  const server = await bench(script, { effects });
  const client = sdkOf(server);
  const { thread_id } = await server.begin("first");
  const [approval] = await server.pending(thread_id);
  const { body } = await server.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
  await until(() => effects.begun === 1);
  return { server, client, thread_id, effects, finish, live: body["run_id"] as unknown as string };
}

async function saidOn(client: ReturnType<typeof sdkOf>, thread_id: string): Promise<string[]> {
  const { values } = await client.threads.getState<{ messages?: { type: string; content: string }[] }>(
    thread_id,
  );
  return (values.messages ?? []).filter(({ type }) => type === "human").map(({ content }) => content);
}

describe("a run that comes while another one is live", () => {
  it("is refused by default", async () => {
    const { client, thread_id, finish } = await deleting();
    const refused = client.runs.create(thread_id, "agent", { input: say("second") });
    expect(await refusal(refused)).toEqual({ status: 409, code: "thread_busy" });
    finish();
  });

  it("waits for its turn with `enqueue`, and each has its own", async () => {
    const { client, thread_id, finish, live } = await deleting();
    const second = await client.runs.create(thread_id, "agent", {
      ...{ input: say("second"), multitaskStrategy: "enqueue" },
    });
    expect(second.status).toBe("pending");
    expect((await client.runs.list(thread_id, { status: "pending" })).map((run) => run.run_id)).toEqual([
      second.run_id,
    ]);
    finish();
    await client.runs.join(thread_id, second.run_id);
    expect((await client.runs.get(thread_id, live)).status).toBe("success");
    expect((await client.runs.get(thread_id, second.run_id)).status).toBe("success");
    expect(await saidOn(client, thread_id)).toEqual(["first", "second"]);
  });

  it("waits through a restart", async () => {
    const { server, client, thread_id, finish } = await deleting();
    const second = await client.runs.create(thread_id, "agent", {
      ...{ input: say("second"), multitaskStrategy: "enqueue" },
    });
    setTimeout(finish, 50);
    const again = await server.restart();
    await sdkOf(again).runs.join(thread_id, second.run_id);
    expect(await saidOn(sdkOf(again), thread_id)).toEqual(["first", "second"]);
    expect(again.effects.deleted).toEqual(["a"]);
  });

  it("waits until what one before it asked is decided", async () => {
    const asking = [
      remove("a"),
      { content: "first done" },
      remove("b"),
      { content: "done" },
      { content: "hi" },
    ];
    const { server, client, thread_id, finish } = await deleting(asking);
    const enqueue = (text: string) =>
      client.runs.create(thread_id, "agent", { input: say(text), multitaskStrategy: "enqueue" });
    await enqueue("second");
    const third = await enqueue("third");
    finish();
    await until(async () => (await server.pending(thread_id)).length === 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await client.runs.get(thread_id, third.run_id)).status).toBe("pending");
    const [approval] = await server.pending(thread_id);
    await server.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    await client.runs.join(thread_id, third.run_id);
    expect(await saidOn(client, thread_id)).toEqual(["first", "second", "third"]);
    expect(server.effects.deleted).toEqual(["a", "b"]);
  });

  it("takes its place with `interrupt`, and what had begun stays begun", async () => {
    const { client, thread_id, finish, live, effects } = await deleting();
    const second = client.runs.wait(thread_id, "agent", {
      ...{ input: say("second"), multitaskStrategy: "interrupt" },
    });
    await until(async () => (await client.runs.get(thread_id, live)).cancel_reason !== null);
    finish();
    await second;
    expect(await client.runs.get(thread_id, live)).toMatchObject({
      ...{ status: "interrupted", cancel_reason: "A newer run took its place." },
    });
    expect(await saidOn(client, thread_id)).toEqual(["first", "second"]);
    expect(effects.deleted).toEqual(["a"]);
  });

  it("takes its place with `rollback`, as if the other one had never begun", async () => {
    const effects = new Effects();
    const server = await bench([remove("a"), { content: "done" }], { effects });
    const client = sdkOf(server);
    const { thread_id } = await client.threads.create();
    const first = await client.runs.create(thread_id, "agent", { input: say("first") });
    await client.runs.join(thread_id, first.run_id);
    await client.runs.cancel(thread_id, first.run_id, true, "rollback");
    expect(await saidOn(client, thread_id)).toEqual([]);
    expect(await refusal(client.runs.get(thread_id, first.run_id))).toEqual({
      status: 404,
      code: "run_not_found",
    });
    expect(await server.pending(thread_id)).toEqual([]);
    await client.runs.wait(thread_id, "agent", { input: say("second") });
    expect(await saidOn(client, thread_id)).toEqual(["second"]);
    expect(effects.deleted).toEqual([]);
    expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true });
  });
});

describe("a run with a time of its own", () => {
  it("begins when its time has come", async () => {
    const server = await bench([{ content: "hi" }]);
    const client = sdkOf(server);
    const { thread_id } = await client.threads.create();
    const run = await client.runs.create(thread_id, "agent", { input: say("later"), afterSeconds: 1 });
    expect(run.status).toBe("pending");
    expect((await client.threads.get(thread_id)).status).toBe("idle");
    const begun = Date.now();
    await client.runs.join(thread_id, run.run_id);
    expect(Date.now() - begun).toBeGreaterThan(700);
    expect(await saidOn(client, thread_id)).toEqual(["later"]);
  });

  it("can be cancelled before", async () => {
    const server = await bench([{ content: "hi" }]);
    const client = sdkOf(server);
    const { thread_id } = await client.threads.create();
    const run = await client.runs.create(thread_id, "agent", { input: say("later"), afterSeconds: 600 });
    const joined = client.runs.join(thread_id, run.run_id);
    await client.runs.cancel(thread_id, run.run_id, true);
    expect(await joined).toEqual({});
    expect((await client.runs.get(thread_id, run.run_id)).status).toBe("interrupted");
  });
});
