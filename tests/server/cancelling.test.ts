import Database from "better-sqlite3";
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../../src/ledger/sql/index.ts";
import { Runs } from "../../src/server/runs/runs.ts";
import { bench, listOf, remove, runOf, textOf, until } from "./bench.ts";
import { people } from "./identity-bench.ts";

const TURN = [remove("a"), { content: "done" }];

describe("who cancels a run", () => {
  it("is named by what the run had asked, where they had to say who they are", async () => {
    const all = await people(TURN, { ann: ["admin"] });
    const { body: thread } = await all.ann.post("/threads");
    const thread_id = textOf(thread["thread_id"]);
    await all.ann.post(`/threads/${thread_id}/runs/wait`, runOf("go"));
    const [run] = listOf((await all.ann.get(`/threads/${thread_id}/runs`)).body);
    await all.ann.post(`/threads/${thread_id}/runs/${textOf(run!["run_id"])}/cancel?wait=1`);
    const { body } = await all.ann.get(`/approvals?thread_id=${thread_id}&status=all`);
    expect(listOf(body["approvals"])).toMatchObject([
      { status: "cancelled", decision: { decided_by: { kind: "user", id: "ann" } } },
    ]);
  });

  it("is named too when another server carries it out", async () => {
    const all = await people(TURN, { ann: ["admin"] });
    const other = await bench(TURN, { store: all.store, effects: all.effects });
    const { body: thread } = await all.ann.post("/threads");
    const thread_id = textOf(thread["thread_id"]);
    let finish = (): void => undefined;
    all.effects.gate = new Promise((resolve) => (finish = resolve));
    await all.ann.post(`/threads/${thread_id}/runs/wait`, runOf("go"));
    const { body } = await all.ann.get(`/approvals?thread_id=${thread_id}`);
    const approval_id = textOf(listOf(body["approvals"])[0]!["approval_id"]);
    await all.ann.post(`/approvals/${approval_id}/decision`, { type: "approve" });
    await until(() => all.effects.begun === 1);
    const [live] = listOf((await all.ann.get(`/threads/${thread_id}/runs?status=running`)).body);
    const path = `/threads/${thread_id}/runs/${textOf(live!["run_id"])}/cancel?wait=1`;
    const { status } = await fetch(`${other.url}${path}`, { method: "POST", headers: all.ann.headers });
    finish();
    expect(status).toBe(204);
    const database = new Database(all.store.slice("file:".length), { readonly: true });
    const row = database.prepare("select status, cancelled_by from server_runs where run_id = ?");
    expect(row.get(textOf(live!["run_id"]))).toEqual({ status: "cancelled", cancelled_by: "ann" });
    database.close();
  });

  it("is nobody where nobody had to say who they are", async () => {
    const one = await bench(TURN);
    const { thread_id } = await one.begin();
    const [run] = listOf((await one.get(`/threads/${thread_id}/runs`)).body);
    await one.post(`/threads/${thread_id}/runs/${textOf(run!["run_id"])}/cancel?wait=1`, {});
    const { body } = await one.get(`/approvals?thread_id=${thread_id}&status=all`);
    expect(listOf(body["approvals"])).toMatchObject([{ decision: { decided_by: { kind: "system" } } }]);
  });
});

describe("a question that a cancelled run still asked while its process was killed", () => {
  it("is withdrawn by the next one, and the thread is at rest", async () => {
    const one = await bench(TURN);
    const { thread_id } = await one.begin();
    const database = new Database(one.store.slice("file:".length));
    database.prepare("update server_runs set status = 'cancelled', cancel_reason = 'Enough.'").run();
    database.prepare("update server_threads set status = 'idle'").run();
    database.close();
    expect(await one.pending(thread_id)).toHaveLength(1);
    const next = await one.restart();
    expect(await next.pending(thread_id)).toEqual([]);
    expect(textOf((await next.get(`/threads/${thread_id}`)).body["status"])).toBe("idle");
    const { body } = await next.get(`/approvals?thread_id=${thread_id}&status=all`);
    expect(listOf(body["approvals"])).toMatchObject([
      { status: "cancelled", decision: { decided_by: { kind: "system" }, reason: "Enough." } },
    ]);
    expect(next.effects.deleted).toEqual([]);
  });
});

describe("a process that is gone while it cancels a run that waits for a decision", () => {
  it("leaves that to a living one, which says so and waits for nobody", async () => {
    const lines: { message: string; fields: Record<string, unknown> }[] = [];
    const tell = (fields: Record<string, unknown>, message: string) => void lines.push({ message, fields });
    const logger = { debug: tell, info: tell, warn: tell, error: tell };
    const one = await bench(TURN, { logger });
    const { thread_id } = await one.begin();
    const database = new Database(one.store.slice("file:".length));
    const run_id = database.prepare("select run_id from server_threads").pluck().get();
    database.prepare("update server_runs set cancel_reason = 'Enough.', cancelled_by = 'ann'").run();
    database.prepare("update server_threads set lane_owner = 'prc_left'").run();
    // One that is not there any more, on this machine.
    database
      .prepare("insert into server_processes values ('prc_left', ?, ?, 0, '2026-01-01T00:00:00.000Z')")
      .run(process.pid, hostname());
    database.close();
    await until(async () => (await one.pending(thread_id)).length === 0);
    await until(async () => textOf((await one.get(`/threads/${thread_id}`)).body["status"]) === "idle");
    const { body } = await one.get(`/approvals?thread_id=${thread_id}&status=all`);
    expect(listOf(body["approvals"])).toMatchObject([
      { status: "cancelled", decision: { decided_by: { id: "ann" }, reason: "Enough." } },
    ]);
    const why = "its run was being cancelled while it waited for a decision";
    expect(lines).toContainEqual({ message: "thread taken up", fields: { thread_id, run_id, why } });
  });
});

describe("a run that ended by itself before it could be cancelled", () => {
  it.each(["success", "error"] as const)("says nothing of that: %s", async (status) => {
    const { store, begin, server } = await bench([{ content: "done" }]);
    const { thread_id } = await begin();
    await server.stop();
    const database = await openDatabase(store);
    const runs = new Runs(database);
    const [run] = await runs.list(thread_id, { limit: 1, offset: 0 });
    const end = { error: null, thread_status: "idle", at: new Date().toISOString() } as const;
    for (const [ended, cancel_reason] of [[status, null] as const, ["cancelled", "Enough."] as const]) {
      await runs.set(run!.run_id, { status: "running" });
      await runs.mark(run!.run_id, { cancel_reason: "Enough.", cancelled_by: "ann" });
      await runs.end(run!, { ...end, status: ended });
      expect(await runs.get(run!.run_id)).toMatchObject({ status: ended, cancel_reason });
    }
    await database.close();
  });
});
