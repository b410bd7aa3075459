import { describe, expect, it, vi } from "vitest";
import { bench, listOf, remove, resumeOf, runOf, textOf, until, type Answer, type Bench } from "./bench.ts";

vi.setConfig({ testTimeout: 30_000 });

const TURN = [remove("a"), { content: "done" }, { content: "more done" }];

/** Two servers on one file. On a thread an approved tool runs in the first, and does not end before it may. */
async function running(steps: Parameters<typeof bench>[0] = TURN) {
  const one = await bench(steps);
  const other = await bench(steps, { store: one.store, effects: one.effects });
  let finish = (): void => undefined;
  one.effects.gate = new Promise((resolve) => (finish = resolve));
  const { thread_id } = await one.begin();
  const [approval] = await one.pending();
  await one.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
  await until(() => one.effects.begun === 1);
  return { one, other, thread_id, finish: () => finish() };
}

/** The run of a thread that waits, once there is one. */
async function waitingRun(server: Bench, thread_id: string): Promise<string> {
  const waiting = async () =>
    listOf((await server.get(`/threads/${thread_id}/runs?status=pending`)).body).map(({ run_id }) =>
      textOf(run_id),
    );
  await until(async () => (await waiting()).length === 1);
  return (await waiting())[0]!;
}

/** A run that waits in the first server for the thread to be free, and what its client is told. */
async function waiting() {
  const both = await running();
  const enqueued = runOf("more", { multitask_strategy: "enqueue" });
  const answered = both.one.post(`/threads/${both.thread_id}/runs/wait`, enqueued);
  const run_id = await waitingRun(both.other, both.thread_id);
  return { ...both, answered, run_id };
}

const statusOf = async (server: Bench, thread_id: string): Promise<string> =>
  textOf((await server.get(`/threads/${thread_id}`)).body["status"]);

const humans = async (server: Bench, thread_id: string): Promise<string[]> =>
  listOf((await server.get(`/threads/${thread_id}/state`)).body["values"]!["messages"])
    .filter(({ type }) => textOf(type) === "human")
    .map(({ content }) => textOf(content));

/** Whether an answer has come while the run that is live on the thread cannot have ended. */
async function expectSoon(answered: Promise<Answer>): Promise<Answer> {
  let answer: Answer | undefined;
  void answered.then((one) => (answer = one));
  await until(() => answer !== undefined);
  return answer!;
}

describe("a run that waits in one server", () => {
  it("is cancelled through another one, and never begins", async () => {
    const { one, other, thread_id, run_id, answered, finish } = await waiting();
    const cancelled = await other.post(`/threads/${thread_id}/runs/${run_id}/cancel?wait=1`, {});
    expect(cancelled.status).toBe(204);
    await expectSoon(answered);
    finish();
    await until(async () => (await statusOf(one, thread_id)) === "idle");
    expect(await humans(one, thread_id)).toEqual(["go"]);
    expect((await one.get(`/threads/${thread_id}/runs/${run_id}`)).body).toMatchObject({
      ...{ status: "interrupted", cancel_reason: "A client cancelled the run." },
    });
    expect(one.errors.concat(other.errors)).toEqual([]);
  });

  it("is taken back through another one, and whoever waits for it is told its end", async () => {
    const { one, other, thread_id, run_id, answered, finish } = await waiting();
    const joined = one.get(`/threads/${thread_id}/runs/${run_id}/join`);
    const streamed = one.get(`/threads/${thread_id}/runs/${run_id}/stream`);
    await other.post(`/threads/${thread_id}/runs/${run_id}/cancel?wait=1&action=rollback`, {});
    for (const each of [answered, joined, streamed]) expect((await expectSoon(each)).status).toBe(200);
    expect(textOf((await streamed).body)).toContain("event: end");
    finish();
    await until(async () => (await statusOf(one, thread_id)) === "idle");
    expect(await humans(one, thread_id)).toEqual(["go"]);
    expect((await one.get(`/threads/${thread_id}/runs/${run_id}`)).status).toBe(404);
  });

  it("gives way to a newer one of another server, which interrupts", async () => {
    const { one, other, thread_id, answered, finish } = await waiting();
    const newer = other.post(
      `/threads/${thread_id}/runs/wait`,
      runOf("newer", { multitask_strategy: "interrupt" }),
    );
    await expectSoon(answered);
    finish();
    expect((await newer).status).toBe(200);
    expect(await humans(other, thread_id)).toEqual(["go", "newer"]);
    expect(one.errors.concat(other.errors)).toEqual([]);
  });

  it("begins once when nobody cancels it, whichever server looks", async () => {
    const { one, other, thread_id, answered, finish } = await waiting();
    finish();
    expect(listOf((await answered).body["messages"]).at(-1)).toMatchObject({ content: "more done" });
    expect(await humans(other, thread_id)).toEqual(["go", "more"]);
    expect(one.errors.concat(other.errors)).toEqual([]);
  });
});

describe("a run that waits in one server for its time", () => {
  async function timed() {
    const one = await bench([{ content: "done" }]);
    const other = await bench([{ content: "done" }], { store: one.store, effects: one.effects });
    const thread_id = textOf((await one.post("/threads", {})).body["thread_id"]);
    const answered = one.post(`/threads/${thread_id}/runs/wait`, runOf("later", { after_seconds: 600 }));
    return { one, other, thread_id, answered, run_id: await waitingRun(other, thread_id) };
  }

  it("is cancelled through another one", async () => {
    const { one, other, thread_id, answered, run_id } = await timed();
    await other.post("/runs/cancel", { thread_id, run_ids: [run_id] });
    expect((await expectSoon(answered)).status).toBe(200);
    expect((await one.get(`/threads/${thread_id}/runs/${run_id}`)).body).toMatchObject({
      status: "interrupted",
    });
  });

  it("goes with its thread, which another one deletes, and its client does not wait for it any more", async () => {
    const { one, other, thread_id, answered } = await timed();
    expect((await other.remove(`/threads/${thread_id}`)).status).toBe(204);
    expect((await expectSoon(answered)).status).toBe(200);
    expect((await one.get(`/threads/${thread_id}`)).status).toBe(404);
    expect(one.errors.concat(other.errors)).toEqual([]);
  });
});

describe("the run of an answer that waits in one server", () => {
  it("is cancelled through another one, and the answer itself is acted upon", async () => {
    const { one, other, thread_id, finish } = await running([remove("a", "b"), { content: "done" }]);
    const [second] = await one.pending(thread_id);
    const answered = one.post(
      `/threads/${thread_id}/runs/wait`,
      resumeOf({ [second!.approval_id]: { type: "approve" } }),
    );
    const run_id = await waitingRun(other, thread_id);
    await other.post(`/threads/${thread_id}/runs/${run_id}/cancel?wait=1`, {});
    finish();
    expect((await answered).status).toBe(200);
    await until(() => one.effects.deleted.length === 2);
    await until(async () => (await statusOf(other, thread_id)) === "idle");
    expect((await one.get(`/threads/${thread_id}/runs/${run_id}`)).body).toMatchObject({
      status: "interrupted",
    });
    expect(one.errors.concat(other.errors)).toEqual([]);
  });
});
