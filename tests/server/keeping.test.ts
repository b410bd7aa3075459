import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { postgresUrl } from "../setup/postgres.ts";
import { bench, call, Effects, listOf, remove, runOf, textOf, until, type BenchOptions } from "./bench.ts";
import { sdkOf } from "./sdk-client.ts";

const steps = [remove("attack-at-dawn"), { content: "It is gone: attack-at-dawn." }];
const postgres = postgresUrl();
const stores: [string, BenchOptions][] = [["SQLite", {}]];
if (postgres) stores.push(["PostgreSQL", { store: postgres }]);

describe.each(stores)("a deleted thread on %s", (_, options) => {
  it("has its arguments and results erased, and leaves a chain that holds", async () => {
    const { begin, pending, post, get, remove: drop } = await bench(steps, options);
    const { thread_id } = await begin();
    const other = await begin();
    const [approval] = await pending(thread_id);
    const path = `/approvals/${approval!.approval_id}`;
    const key = { "idempotency-key": `first ${thread_id}` };
    await post(`${path}/decision?wait=10`, { type: "approve" }, key);
    const { body: before } = await get("/audit/verify");
    expect((await drop(`/threads/${thread_id}`)).status).toBe(204);
    const { body: audit } = await get(`/audit?thread_id=${thread_id}`);
    const events = listOf(audit["events"]);
    expect(JSON.stringify(events)).not.toContain("attack");
    expect(events[0]).toMatchObject({ type: "run_started", erased: true });
    expect(textOf(events[0]!["data_digest"])).toMatch(/^sha256:/);
    expect(events.at(-1)).toMatchObject({ type: "thread_erased", by: { kind: "user" } });
    expect((await get(`/audit/verify?head=${textOf(before["head"])}`)).body).toMatchObject({
      ...{ ok: true, erased: events.length - 1, broken: [] },
    });
    expect(await get(path)).toMatchObject({ status: 410, body: { code: "erased" } });
    for (const headers of [key, {}])
      expect(await post(`${path}/decision`, { type: "approve" }, headers)).toMatchObject({
        ...{ status: 410, body: { code: "erased" } },
      });
    expect((await get(`/approvals?status=all&thread_id=${thread_id}`)).body["approvals"]).toEqual([]);
    expect(await pending(other.thread_id)).toHaveLength(1);
    expect((await drop(`/threads/${thread_id}`)).status).toBe(404);
  });

  it("takes the questions along that were open, and comes back under its id as a new one", async () => {
    const { pending, post, get, remove: drop } = await bench(steps, options);
    const thread_id = "again";
    const run = () => post(`/threads/${thread_id}/runs/wait`, runOf("go", { if_not_exists: "create" }));
    await run();
    const [first] = await pending(thread_id);
    await drop(`/threads/${thread_id}`);
    await run();
    const [second] = await pending(thread_id);
    expect(second!.approval_id).not.toBe(first!.approval_id);
    expect((await get(`/approvals/${first!.approval_id}`)).body["code"]).toBe("erased");
    await post(`/approvals/${second!.approval_id}/decision?wait=10`, { type: "approve" });
    await drop(`/threads/${thread_id}`);
    const { body } = await get(`/audit/verify`);
    expect(body).toMatchObject({ ok: true, broken: [] });
  });
});

describe("a deleted thread", () => {
  it("leaves no byte of its arguments in the file once the log was written out", async () => {
    const server = await bench(steps, { sweepEveryMs: 50 });
    const { thread_id } = await server.begin();
    const [approval] = await server.pending();
    await server.post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
    const path = server.store.slice("file:".length);
    const holds = () => [path, `${path}-wal`].some((file) => readFileSync(file).includes("attack-at-dawn"));
    expect(holds()).toBe(true);
    await server.remove(`/threads/${thread_id}`);
    await until(() => !holds());
    expect((await server.get("/audit/verify")).body["ok"]).toBe(true);
  });

  it("takes nothing of a tool that still runs, which ends unseen", async () => {
    const effects = new Effects();
    let finish = (): void => undefined;
    effects.gate = new Promise((resolve) => (finish = resolve));
    const { begin, pending, post, get, remove: drop, errors } = await bench(steps, { effects });
    const { thread_id } = await begin();
    const [approval] = await pending();
    await post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    await until(() => effects.begun === 1);
    const dropped = drop(`/threads/${thread_id}`);
    await until(async () => textOf((await get(`/threads/${thread_id}`)).body["status"]) !== "busy");
    finish();
    expect((await dropped).status).toBe(204);
    await until(() => effects.deleted.length === 1);
    const { body } = await get(`/audit?thread_id=${thread_id}`);
    expect(JSON.stringify(body)).not.toContain("attack");
    expect((await get("/audit/verify")).body["ok"]).toBe(true);
    expect(errors).toEqual([]);
  });

  it("is erased by an admin also when only the ledger still has it", async () => {
    const {
      post,
      get,
      remove: drop,
    } = await bench([{ tool_calls: [call("read_file", { path: "attack" })] }, { content: "ok" }]);
    await post("/runs/wait", runOf("go"));
    const { body } = await get("/audit");
    const thread_id = textOf(listOf(body["events"])[0]!["thread_id"]);
    expect(JSON.stringify(body)).toContain("attack");
    expect((await get(`/threads/${thread_id}`)).status).toBe(404);
    expect((await drop(`/threads/${thread_id}`)).status).toBe(204);
    expect(JSON.stringify((await get("/audit")).body)).not.toContain("attack");
    expect((await drop(`/threads/${thread_id}`)).status).toBe(404);
  });
});

describe("a time to live", () => {
  const MINUTE = 60_000;
  async function timed() {
    let now = Date.now();
    const clock = () => now;
    const server = await bench(steps, { clock, sweepEveryMs: 20 });
    return {
      ...server,
      sdk: sdkOf(server),
      wait: (minutes: number) => void (now += minutes * MINUTE),
      clock,
    };
  }
  const gone = (server: Pick<Awaited<ReturnType<typeof timed>>, "get">, thread_id: string) =>
    until(async () => (await server.get(`/threads/${thread_id}`)).status === 404);

  it("is shown, changed and taken away", async () => {
    const { sdk, url, post, get, clock } = await timed();
    const { thread_id } = await sdk.threads.create({ ttl: 60 });
    const shown = async () => (await get(`/threads/${thread_id}`)).body["ttl"];
    expect(await shown()).toEqual({
      ...{ strategy: "delete", ttl_minutes: 60, expires_at: new Date(clock() + 60 * MINUTE).toISOString() },
    });
    await sdk.threads.update(thread_id, { ttl: { ttl: 5, strategy: "delete" } });
    expect(await shown()).toMatchObject({ ttl_minutes: 5 });
    await fetch(`${url}/threads/${thread_id}`, {
      ...{ method: "PATCH", headers: { "content-type": "application/json" }, body: '{"ttl":null}' },
    });
    expect(await shown()).toBeUndefined();
    for (const ttl of [0, -1, "soon", { ttl: 1, strategy: "forget" }])
      expect((await post("/threads", { ttl })).body["code"]).toBe("invalid_request");
  });

  it("deletes and erases the thread once nothing has happened on it for so long", async () => {
    const server = await timed();
    const { thread_id } = await server.sdk.threads.create({ ttl: 10 });
    await server.sdk.threads.create({ threadId: "kept" });
    server.wait(9);
    await server.sdk.runs.wait(thread_id, "agent", {
      input: runOf("go")["input"] as Record<string, unknown>,
    });
    server.wait(9);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect((await server.get(`/threads/${thread_id}`)).status).toBe(200);
    const [approval] = await server.pending();
    server.wait(2);
    await gone(server, thread_id);
    expect((await server.get(`/approvals/${approval!.approval_id}`)).body["code"]).toBe("erased");
    expect((await server.get("/threads/kept")).status).toBe(200);
    const { body } = await server.get(`/audit?thread_id=${thread_id}`);
    expect(listOf(body["events"]).at(-1)).toMatchObject({ type: "thread_erased", by: { kind: "system" } });
    expect(server.errors).toEqual([]);
  });

  it("lets a run end first, and counts from there", async () => {
    const server = await timed();
    let finish = (): void => undefined;
    server.effects.gate = new Promise((resolve) => (finish = resolve));
    const { thread_id } = await server.sdk.threads.create({ ttl: 10 });
    await server.post(`/threads/${thread_id}/runs/wait`, runOf("go"));
    const [approval] = await server.pending();
    await server.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    await until(() => server.effects.begun === 1);
    server.wait(100);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect((await server.get(`/threads/${thread_id}`)).body["status"]).toBe("busy");
    finish();
    await until(async () => textOf((await server.get(`/threads/${thread_id}`)).body["status"]) === "idle");
    expect(server.effects.deleted).toHaveLength(1);
    server.wait(11);
    await gone(server, thread_id);
  });

  it("with keep_latest takes all but the newest state, once for each time that something happened", async () => {
    const server = await timed();
    const { thread_id } = (await server.post("/threads", { ttl: { ttl: 10, strategy: "keep_latest" } })).body;
    const id = textOf(thread_id);
    await server.post(`/threads/${id}/runs/wait`, runOf("go"));
    server.wait(11);
    await new Promise((resolve) => setTimeout(resolve, 80));
    // A question is open: nothing is taken away under it.
    const [approval] = await server.pending();
    await server.post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
    const history = async () => listOf((await server.get(`/threads/${id}/history`)).body).length;
    expect(await history()).toBeGreaterThan(1);
    server.wait(11);
    await until(async () => (await history()) === 1);
    const { body } = await server.get(`/threads/${id}`);
    expect(listOf(body["values"]?.["messages"])).toHaveLength(4);
    const updated = body["updated_at"];
    server.wait(11);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect((await server.get(`/threads/${id}`)).body["updated_at"]).toEqual(updated);
    expect(server.errors).toEqual([]);
  });
});
