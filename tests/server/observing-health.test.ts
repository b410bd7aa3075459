import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDatabase, type Database } from "../../src/ledger/sql/index.ts";
import { serverMigrations } from "../../src/server/database/migrations.ts";
import { Health } from "../../src/server/observing/health.ts";
import { bench, folder, remove, until } from "./bench.ts";

async function openStore(): Promise<Database> {
  const database = await openDatabase(`file:${join(folder(), "state.db")}`);
  await database.migrate("server", serverMigrations);
  return database;
}

describe("/ok", () => {
  it("says yes while the store answers", async () => {
    const server = await bench([]);
    expect(await server.get("/ok")).toMatchObject({ status: 200, body: { ok: true } });
  });

  it("says no while the server stops", async () => {
    const server = await bench([remove("a"), { content: "done" }]);
    let open = (): void => undefined;
    server.effects.gate = new Promise((resolve) => (open = resolve));
    await server.begin();
    const [approval] = await server.pending();
    await server.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    await until(() => server.effects.begun === 1);
    const stopped = server.server.stop();
    expect(await server.get("/ok")).toMatchObject({ status: 503, body: { code: "stopping" } });
    open();
    await stopped;
  });
});

describe("whether the server can serve", () => {
  it("is asked of the store, which may be gone", async () => {
    const database = await openStore();
    const health = new Health(database);
    await expect(health.assertReady()).resolves.toBeUndefined();
    await database.close();
    // What it said last counts for a moment.
    await expect(health.assertReady()).resolves.toBeUndefined();
    await until(async () => health.assertReady().then(() => false, isNotReady));
  });

  it("is not waited for longer than a second", async () => {
    const database = await openStore();
    const builder = <Tables>() => database.builder<Tables>();
    const stuck = { ...database, builder, read: () => new Promise<never>(() => undefined) } as Database;
    const begin = performance.now();
    await expect(new Health(stuck).assertReady()).rejects.toMatchObject({ code: "not_ready" });
    expect(performance.now() - begin).toBeGreaterThanOrEqual(990);
    await database.close();
  });
});

function isNotReady(error: unknown): boolean {
  expect(error).toMatchObject({ code: "not_ready" });
  return true;
}
