import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { bench, listOf, remove, runOf, textOf, type Bench, type BenchOptions, type Json } from "./bench.ts";

const SECRET = "hunter2-of-nobody";
const TURN = [remove(SECRET), { content: "done" }];
const OVERLAY = { context: { policy: { mask: ["path"] } } };

/** A thread on which a tool was called with a secret and told it. */
async function told(overlay: Record<string, unknown>, options: BenchOptions = {}) {
  const server = await bench(TURN, options);
  const thread_id = textOf((await server.post("/threads", {})).body["thread_id"]);
  await server.post(`/threads/${thread_id}/runs/wait`, runOf("go", overlay));
  const [approval] = await server.pending(thread_id);
  await server.post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
  expect(server.effects.deleted).toEqual([SECRET]);
  return { server, thread_id };
}

async function copyOf({ post }: Bench, thread_id: string): Promise<string> {
  return textOf((await post(`/threads/${thread_id}/copy`, {})).body["thread_id"]);
}

/** All that a server shows of a thread. */
async function shown({ get, post }: Bench, thread_id: string): Promise<string> {
  const extract = { last: "values.messages[-2].content" };
  const answers = await Promise.all([
    ...["", "/state", "/history"].map((end) => get(`/threads/${thread_id}${end}`)),
    post("/threads/search", { ids: [thread_id], extract }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  return JSON.stringify(answers.map(({ body }) => body));
}

/** Takes the message that called the tool out of a thread, so that only what the tool told is left. */
async function dropCall({ get, post }: Bench, thread_id: string): Promise<void> {
  const { body } = await get(`/threads/${thread_id}/state`);
  const messages = listOf(body["values"]?.["messages"]);
  const id = textOf(messages.find((one: Json) => textOf(one["type"]) === "ai")!["id"]);
  const { status } = await post(`/threads/${thread_id}/state`, {
    values: { messages: [{ type: "remove", id, content: "" }] },
  });
  expect(status).toBe(200);
}

describe("a copy of a thread", () => {
  it("hides what a run's own policy hides in the first one, also in copies of it and after a restart", async () => {
    const { server, thread_id } = await told(OVERLAY);
    const copy = await copyOf(server, thread_id);
    const second = await copyOf(server, copy);
    const next = await server.restart();
    for (const one of [thread_id, copy, second, await copyOf(next, second)]) {
      expect([one, (await shown(next, one)).includes(SECRET)]).toEqual([one, false]);
      expect(await shown(next, one)).toContain("deleted ***");
    }
  });

  it("goes on hiding it once the first one is erased", async () => {
    const { server, thread_id } = await told(OVERLAY);
    const second = await copyOf(server, await copyOf(server, thread_id));
    await server.remove(`/threads/${thread_id}`);
    const next = await server.restart();
    expect(await shown(next, second)).not.toContain(SECRET);
    // What is kept for that goes with the copy.
    expect(await holds(next)).toBe(true);
    for (const { thread_id: left } of listOf((await next.post("/threads/search", {})).body))
      await next.remove(`/threads/${textOf(left)}`);
    expect(await holds(next)).toBe(false);
  });

  it("hides what a tool told where the message that called it is gone", async () => {
    const { server, thread_id } = await told({}, { policy: { version: 1, mask: ["path"] } });
    const copy = await copyOf(server, thread_id);
    await dropCall(server, copy);
    const next = await server.restart();
    const { body } = await next.get(`/threads/${copy}/state`);
    expect(JSON.stringify(body)).toContain("deleted ***");
    expect(JSON.stringify(body)).not.toContain(SECRET);
  });

  it("hides what policy masks only after the copy was made", async () => {
    const { server, thread_id } = await told({});
    const copy = await copyOf(server, thread_id);
    await dropCall(server, copy);
    expect(await shown(server, copy)).toContain(SECRET);
    const next = await server.restart({ policy: { version: 1, mask: ["path"] } } as BenchOptions);
    const { body } = await next.get(`/threads/${copy}/state`);
    expect(JSON.stringify(body)).toContain("deleted ***");
  });
});

/** Whether the rows of threads hold the secret. */
async function holds({ store }: Bench): Promise<boolean> {
  const database = new Database(store.slice("file:".length), { readonly: true });
  const rows = database.prepare("select * from server_threads").all();
  database.close();
  return Promise.resolve(JSON.stringify(rows).includes(SECRET));
}
