import Database from "better-sqlite3";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createServer } from "../../src/wire.ts";
import { agent, bench, Effects, folder, remove, until } from "./bench.ts";

vi.setConfig({ testTimeout: 30_000 });

/** Stores that an earlier server has left as they were when it ended without a word. */
async function leftBehind(owner: { pid: number; host: string; age: number; id?: string }) {
  const store = `file:${join(folder(), "state.db")}`;
  await (await bench([], { store })).server.stop();
  const database = new Database(store.slice("file:".length));
  const row = [owner.id ?? "left", owner.pid, owner.host, Date.now() - owner.age];
  database.prepare("insert into server_owner values (1, ?, ?, ?, ?)").run(row);
  return { store, database };
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  return child.pid ?? 0;
}

async function startOn(store: string) {
  const errors: string[] = [];
  const server = await createServer({
    config: { graphs: { agent: agent(new Effects(), []) } },
    ...{ store, port: 0, logger: { error: (message: string) => errors.push(message) } },
  });
  const began = Date.now();
  try {
    await server.start();
    return { ms: Date.now() - began, errors };
  } finally {
    await server.stop();
  }
}

describe("a store that a server uses", () => {
  it("is refused to a second server, which leaves the run of the first alone", async () => {
    const first = await bench([remove("a"), { content: "done" }]);
    let open = (): void => undefined;
    first.effects.gate = new Promise((resolve) => (open = resolve));
    const { thread_id } = await first.begin();
    const [approval] = await first.pending();
    const decided = first.post(`/approvals/${approval!.approval_id}/decision?wait=20`, { type: "approve" });
    await until(() => first.effects.begun === 1);
    const refused = startOn(first.store);
    await expect(refused).rejects.toMatchObject({ name: "StartError", code: "store_in_use" });
    await expect(refused).rejects.toThrow(new RegExp(`^[^\\n]*process ${process.pid}[^\\n]*$`));
    open();
    await decided;
    expect((await first.get(`/threads/${thread_id}`)).body).toMatchObject({ status: "idle" });
    expect(first.effects.begun).toBe(1);
  });

  it("is refused when its owner goes on to show that it is alive, in a process of its own", async () => {
    const { store, database } = await leftBehind({ pid: 1, host: "elsewhere", age: 0 });
    const beat = setInterval(
      () => database.prepare("update server_owner set beat_ms = ?").run(Date.now()),
      500,
    );
    await expect(startOn(store)).rejects.toMatchObject({ code: "store_in_use" });
    clearInterval(beat);
  });

  it("is taken when it was released", async () => {
    const first = await bench([]);
    await first.server.stop();
    expect((await startOn(first.store)).errors).toEqual([]);
  });

  it("is not refused to servers that are told to share it", async () => {
    const first = await bench([], { shared: true });
    const second = await bench([], { shared: true, store: first.store });
    expect((await second.get("/ok")).status).toBe(200);
  });

  it("is left by a server from which it was taken", async () => {
    const first = await bench([]);
    const database = new Database(first.store.slice("file:".length));
    database.exec("update server_owner set owner_id = 'other'");
    await until(() => first.errors.length > 0);
    expect(first.errors).toMatchObject([{ code: "store_in_use" }]);
    await until(async () => !(await fetch(`${first.url}/ok`).then(Boolean, () => false)));
    expect(database.prepare("select owner_id from server_owner").get()).toEqual({ owner_id: "other" });
  });
});

describe("a store that a dead server left", () => {
  it("is taken at once when its process is gone, or had this one's number", async () => {
    for (const pid of [await deadPid(), process.pid]) {
      const { ms, errors } = await startOn((await leftBehind({ pid, host: hostname(), age: 0 })).store);
      expect(errors).toEqual([]);
      expect(ms).toBeLessThan(3_000);
    }
  });

  it("is taken when the owner has been silent for long, wherever it was", async () => {
    for (const host of [hostname(), "elsewhere"])
      expect((await startOn((await leftBehind({ pid: 1, host, age: 7_000 })).store)).errors).toEqual([]);
  });

  it("is waited for while nobody can tell, which is said once", async () => {
    const { errors, ms } = await startOn((await leftBehind({ pid: 1, host: "elsewhere", age: 4_000 })).store);
    expect(errors).toEqual([expect.stringContaining("process 1 on elsewhere")]);
    expect(ms).toBeGreaterThan(500);
  });
});
