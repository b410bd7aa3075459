import Database from "better-sqlite3";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { describe, expect, it, vi } from "vitest";
import { openDesk } from "../../src/desk/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { bench, listOf, remove, resumeOf, runOf, textOf, until, type Bench } from "./bench.ts";

vi.setConfig({ testTimeout: 30_000 });

const TURN = [remove("a"), { content: "done" }];

/** Two servers on one file, which know nothing of each other but what is in it. */
async function two(steps: Parameters<typeof bench>[0] = TURN): Promise<{ one: Bench; other: Bench }> {
  const one = await bench(steps);
  const other = await bench(steps, { store: one.store, effects: one.effects });
  return { one, other };
}

/** A thread whose approved tool runs in the first server and does not end before it may. */
async function running(steps?: Parameters<typeof bench>[0]) {
  const { one, other } = await two(steps);
  let finish = (): void => undefined;
  one.effects.gate = new Promise((resolve) => (finish = resolve));
  const { thread_id } = await one.begin();
  const [approval] = await one.pending();
  const { body } = await one.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
  await until(() => one.effects.begun === 1);
  return { one, other, thread_id, run_id: textOf(body["run_id"]), finish: () => finish() };
}

const statusOf = async (server: Bench, thread_id: string): Promise<string> =>
  textOf((await server.get(`/threads/${thread_id}`)).body["status"]);

describe("a thread on which one server runs", () => {
  it("is busy for the other one, which refuses new input", async () => {
    const { other, thread_id, finish } = await running();
    expect(await statusOf(other, thread_id)).toBe("busy");
    const refused = await other.post(`/threads/${thread_id}/runs`, runOf("more"));
    expect(refused).toMatchObject({ status: 409, body: { code: "thread_busy" } });
    finish();
  });

  it("takes new input of the other one when it is free, where that was wanted", async () => {
    const { one, other, thread_id, finish } = await running([...TURN, { content: "more done" }]);
    const waiting = other.post(
      `/threads/${thread_id}/runs/wait`,
      runOf("more", { multitask_strategy: "enqueue" }),
    );
    await until(async () =>
      listOf((await one.get(`/threads/${thread_id}/runs`)).body).some(
        ({ status }) => textOf(status) === "pending",
      ),
    );
    finish();
    expect(listOf((await waiting).body["messages"]).at(-1)).toMatchObject({ content: "more done" });
    expect(one.effects.deleted).toEqual(["a"]);
  });

  it("shows its run to clients of the other one, with its end", async () => {
    const { other, thread_id, run_id, finish } = await running();
    const joined = other.get(`/threads/${thread_id}/runs/${run_id}/join`);
    const streamed = other.get(`/threads/${thread_id}/runs/${run_id}/stream?stream_mode=values`);
    finish();
    expect(listOf((await joined).body["messages"]).at(-1)).toMatchObject({ content: "done" });
    expect(textOf((await streamed).body)).toContain("done");
  });

  it("is cancelled through the other one, and a message sent after that is kept", async () => {
    const { one, other, thread_id, run_id, finish } = await running([...TURN, { content: "after" }]);
    const cancelled = await other.post(`/threads/${thread_id}/runs/${run_id}/cancel?wait=1`, {});
    finish();
    expect(cancelled.status).toBe(204);
    expect((await other.get(`/threads/${thread_id}/runs/${run_id}`)).body).toMatchObject({
      status: "interrupted",
    });
    expect(await statusOf(other, thread_id)).toBe("idle");
    const { status } = await other.post(`/threads/${thread_id}/runs/wait`, runOf("more"));
    expect(status).toBe(200);
    expect(one.effects.begun).toBe(1);
  });

  it("is deleted through the other one once its run has ended", async () => {
    const { one, other, thread_id, finish } = await running();
    const deleted = other.remove(`/threads/${thread_id}`);
    finish();
    expect((await deleted).status).toBe(204);
    expect((await one.get(`/threads/${thread_id}`)).status).toBe(404);
    expect(await one.pending(thread_id)).toEqual([]);
  });

  it("acts on a decision that the other one takes meanwhile", async () => {
    const both = remove("a", "b");
    const { one, other, thread_id, finish } = await running([both, { content: "done" }]);
    const [second] = await other.pending(thread_id);
    const { body, status } = await other.post(`/approvals/${second!.approval_id}/decision`, {
      type: "approve",
    });
    expect({ status, resumed: body["resumed"] }).toEqual({ status: 200, resumed: false });
    finish();
    await until(() => one.effects.deleted.length === 2);
    await until(async () => (await statusOf(other, thread_id)) === "idle");
    expect(one.errors.concat(other.errors)).toEqual([]);
  });

  it("acts on an answer of LangGraph's API that the other one takes meanwhile", async () => {
    const { one, other, thread_id, finish } = await running([remove("a", "b"), { content: "done" }]);
    const [second] = await other.pending(thread_id);
    const answered = other.post(
      `/threads/${thread_id}/runs/wait`,
      resumeOf({ [second!.approval_id]: { type: "approve" } }),
    );
    await until(async () => (await one.pending(thread_id)).length === 0);
    finish();
    expect(listOf((await answered).body["messages"]).at(-1)).toMatchObject({ content: "done" });
    expect(one.effects.deleted.toSorted()).toEqual(["a", "b"]);
  });
});

describe("an interrupt that two servers resume at once", () => {
  it("leads to one execution, and both clients learn how the thread stands", async () => {
    const { one, other } = await two();
    for (let round = 0; round < 10; round += 1) {
      one.effects.deleted.length = 0;
      const { thread_id } = await one.begin();
      const [approval] = await one.pending(thread_id);
      const body = resumeOf({ [approval!.approval_id]: { type: "approve" } });
      const answers = await Promise.all(
        [one, other].map((server) => server.post(`/threads/${thread_id}/runs/wait`, body)),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      await until(async () => (await statusOf(one, thread_id)) === "idle");
      expect(one.effects.deleted).toEqual(["a"]);
    }
    expect(one.errors.concat(other.errors)).toEqual([]);
  });
});

describe("a decision that no server took", () => {
  it("is acted upon soon all the same", async () => {
    const one = await bench(TURN);
    const { thread_id } = await one.begin();
    const [approval] = await one.pending();
    const ledger = await openLedger(one.store);
    await openDesk(ledger).decide(approval!.approval_id, { type: "approve" });
    await ledger.close();
    await until(() => one.effects.deleted.length === 1, 12_000);
    await until(async () => (await statusOf(one, thread_id)) === "idle");
  });
});

describe("live events", () => {
  it("of one server are heard at the other one", async () => {
    const { one, other } = await two();
    const response = await fetch(`${other.url}/events`);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const { thread_id } = await one.begin();
    while (!text.includes("approval_requested")) text += (await reader.read()).value ?? "";
    expect(text).toContain(thread_id);
    await reader.cancel();
  });
});

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid ?? 0;
}

/** Lets a thread belong to a process that ended without a word while a run was live. */
function leaveTo(
  store: string,
  thread_id: string,
  { pid, host }: { pid: number; host: string },
): Database.Database {
  const database = new Database(store.slice("file:".length));
  database
    .prepare("insert into server_processes values ('prc_left', ?, ?, 0, '2026-01-01T00:00:00.000Z')")
    .run(pid, host);
  database
    .prepare("update server_threads set lane_owner = 'prc_left', status = 'busy' where thread_id = ?")
    .run(thread_id);
  return database;
}

describe("a thread that a process held", () => {
  it("goes on in a living one when its process is gone", async () => {
    const one = await bench(TURN);
    const { thread_id } = await one.begin();
    leaveTo(one.store, thread_id, { pid: await deadPid(), host: hostname() }).close();
    expect((await one.post(`/threads/${thread_id}/runs`, runOf("more"))).status).toBe(409);
    await until(async () => (await statusOf(one, thread_id)) === "interrupted");
    expect(await one.pending(thread_id)).toHaveLength(1);
  });

  it("is left alone while its process may be alive elsewhere, and taken up after a long silence", async () => {
    const one = await bench(TURN);
    const { thread_id } = await one.begin();
    const database = leaveTo(one.store, thread_id, { pid: 1, host: "elsewhere" });
    let beats = 0;
    const beating = setInterval(() => {
      beats += 1;
      database.prepare("update server_processes set beat = ? where owner_id = 'prc_left'").run(beats);
    }, 200);
    await until(() => beats >= 15);
    expect(await statusOf(one, thread_id)).toBe("busy");
    clearInterval(beating);
    database.close();
    await until(async () => (await statusOf(one, thread_id)) === "interrupted", 15_000);
  });
});

describe("a server that others took for gone", () => {
  it("stops, says so, and no longer writes to threads", async () => {
    const { one, other } = await two();
    let finish = (): void => undefined;
    one.effects.gate = new Promise((resolve) => (finish = resolve));
    const { thread_id } = await one.begin();
    const [approval] = await one.pending();
    await one.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    await until(() => one.effects.begun === 1);
    const database = new Database(one.store.slice("file:".length));
    const owner = database.prepare("select lane_owner from server_threads").pluck().get();
    database.prepare("update server_threads set lane_owner = null").run();
    database.prepare("delete from server_processes where owner_id = ?").run(owner);
    database.close();
    await until(() => one.errors.length > 0);
    expect(one.errors).toContainEqual(expect.objectContaining({ code: "process_lost" }));
    finish();
    await until(async () => !(await fetch(`${one.url}/ok`).then(Boolean, () => false)), 15_000);
    await until(async () => ["idle", "interrupted"].includes(await statusOf(other, thread_id)), 15_000);
    expect(one.effects.begun).toBe(1);
  });
});

describe("deadlines", () => {
  it("are kept by another server when the one that kept them has stopped", async () => {
    const policy = { version: 1 as const, review: { timeout: "2s" } };
    const one = await bench(TURN, { policy });
    const other = await bench(TURN, { policy, store: one.store, effects: one.effects });
    const { thread_id } = await one.begin();
    await one.server.stop();
    await until(async () => (await other.pending(thread_id)).length === 0, 12_000);
    const { body } = await other.get(`/approvals?thread_id=${thread_id}&status=all`);
    expect(listOf(body["approvals"])).toMatchObject([
      { status: "expired", decision: { decided_by: { kind: "timeout" } } },
    ]);
  });
});
