import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openDesk, openLedger } from "../../src/index.ts";
import { bench, listOf, remove, runOf, textOf, until, type Bench } from "./bench.ts";

const TURN = [remove("a"), { content: "done" }];

async function paused() {
  const server = await bench(TURN);
  const { thread_id } = await server.begin();
  const [approval] = await server.pending(thread_id);
  const run_id = textOf(listOf((await server.get(`/threads/${thread_id}/runs`)).body)[0]!["run_id"]);
  return { server, thread_id, run_id, approval_id: approval!.approval_id };
}

/** A decision by a script that works on the store, and knows of no server. */
async function decideFromScript({ store }: Bench, approval_id: string): Promise<void> {
  const ledger = await openLedger(store);
  await openDesk(ledger).decide(approval_id, { type: "approve" });
  await ledger.close();
}

/** Takes away a run's record, as an earlier version did whatever the run waited for. */
function forget({ store }: Bench, run_id: string): void {
  const database = new Database(store.slice("file:".length));
  expect(database.prepare("delete from server_runs where run_id = ?").run(run_id).changes).toBe(1);
  database.close();
}

async function expectDone(server: Bench, thread_id: string): Promise<void> {
  await until(() => server.effects.deleted.length === 1);
  await until(async () => textOf((await server.get(`/threads/${thread_id}`)).body["status"]) === "idle");
  expect(server.effects.deleted).toEqual(["a"]);
}

describe("a run that waits for a decision", () => {
  it("is not forgotten, before it is decided or after, and goes on", async () => {
    const { server, thread_id, run_id, approval_id } = await paused();
    const path = `/threads/${thread_id}/runs/${run_id}`;
    expect((await server.remove(path)).body).toMatchObject({ status: 409, code: "run_live" });
    await decideFromScript(server, approval_id);
    const { body } = await server.remove(path);
    expect(body).toMatchObject({ status: 409, code: "run_live" });
    expect(textOf(body["detail"])).toContain("Decide what is open, or cancel the run first.");
    await expectDone(server, thread_id);
    // The run that asked has nothing to wait for any more.
    expect((await server.remove(path)).status).toBe(204);
  });

  it("is forgotten once it was cancelled, and nothing goes on", async () => {
    const { server, thread_id, run_id } = await paused();
    await server.post(`/threads/${thread_id}/runs/${run_id}/cancel?wait=1`, {});
    expect((await server.remove(`/threads/${thread_id}/runs/${run_id}`)).status).toBe(204);
    const next = await server.restart();
    expect(textOf((await next.get(`/threads/${thread_id}`)).body["status"])).toBe("idle");
    expect(listOf((await next.get(`/threads/${thread_id}/runs`)).body)).toEqual([]);
    expect(next.effects.deleted).toEqual([]);
  });
});

describe("a decision on a thread whose run was forgotten", () => {
  it("is acted upon where the server goes on", async () => {
    const { server, thread_id, run_id, approval_id } = await paused();
    forget(server, run_id);
    await decideFromScript(server, approval_id);
    await expectDone(server, thread_id);
  });

  it("is acted upon at the next start", async () => {
    const { server, thread_id, run_id, approval_id } = await paused();
    await server.server.stop();
    forget(server, run_id);
    await decideFromScript(server, approval_id);
    await expectDone(await server.restart(), thread_id);
  });

  it("is acted upon before what is new", async () => {
    const { server, thread_id, run_id, approval_id } = await paused();
    forget(server, run_id);
    await decideFromScript(server, approval_id);
    const { body } = await server.post(`/threads/${thread_id}/runs/wait`, runOf("more"));
    expect(body).toMatchObject({ status: 409, code: "thread_busy" });
    await expectDone(server, thread_id);
  });
});
