import Database from "better-sqlite3";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { mayMount, remount, smallDisk } from "./disks.ts";
import type { Answer } from "./http.ts";
import { calls, says } from "./plan.ts";
import { cli, newFolder, story, type Server } from "./story.ts";
import { until } from "./until.ts";

const SCRIPT = [calls(["delete", "a"]), says("done")];
const canMount = mayMount();

/** A clear word, and nothing of the inside. */
function expectRefused({ status, body }: Answer): void {
  expect({ status, body }).toMatchObject({
    status: 503,
    body: { code: expect.stringMatching(/^unwritable$/) as string },
  });
  expect(JSON.stringify(body)).not.toMatch(/\n\s+at |\.[jt]s:\d|node_modules|state\.db/);
}

/** Writes until there is no room. */
function fill(file: string): void {
  try {
    for (;;) appendFileSync(file, Buffer.alloc(4_096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

/** Decides until that is taken: the fault is over, and the server goes on by itself. */
async function untilDecided(server: Server, approval_id: string): Promise<void> {
  await until(async () => {
    const { status } = await server.post(`/approvals/${approval_id}/decision`, { type: "approve" });
    return status === 200 || status === 409;
  }, "the decision was taken");
}

async function expectWhole(
  server: Server,
  thread_id: string,
  file: string,
  effects: () => string[],
): Promise<void> {
  await server.untilStatus(thread_id, "idle");
  expect(effects()).toEqual(["delete a"]);
  expect(await server.messages(thread_id)).toEqual(["human: go", "ai: ", "tool: delete: a", "ai: done"]);
  expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true, broken: [] });
  const database = new Database(file, { readonly: true });
  expect(database.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }]);
  database.close();
}

describe.skipIf(!canMount)("a disk", () => {
  it("that is full refuses what cannot be kept, keeps what was, and is used again when there is room", async () => {
    const disk = smallDisk(8_192) as { path: string };
    const { start, effects } = story(SCRIPT, undefined, { disk: disk.path });
    const server = await start();
    const thread_id = await server.begin();
    const { approval_id } = await server.pending(thread_id);
    const ballast = join(disk.path, "ballast");
    fill(ballast);

    expectRefused(await server.post(`/approvals/${approval_id}/decision`, { type: "approve" }));
    expectRefused(await server.post("/threads", {}));
    expect(await server.approvals({ thread_id })).toMatchObject([{ approval_id, status: "pending" }]);
    expect(effects()).toEqual([]);

    rmSync(ballast);
    await untilDecided(server, approval_id);
    await expectWhole(server, thread_id, join(disk.path, "state.db"), effects);
    expect(server.stderr()).not.toMatch(/unhandled|uncaught/i);
  });

  it("that cannot be written is said in one line at the start, and changes nothing", async () => {
    const disk = smallDisk(8_192) as { path: string };
    const { start } = story(SCRIPT, undefined, { disk: disk.path });
    const first = await start();
    const thread_id = await first.begin();
    const before = await first.pending(thread_id);
    await first.terminate();
    remount(disk.path, "ro");
    const cwd = newFolder();
    const { status, stderr } = spawnSync(
      process.execPath,
      [cli, "serve", "--port", "0", "--store", `file:${join(disk.path, "state.db")}`],
      { cwd, env: { PATH: process.env["PATH"] ?? "" }, encoding: "utf8" },
    );
    expect(status).toBe(1);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(/state\.db/);
    remount(disk.path, "rw");
    expect(await (await start()).pending(thread_id)).toEqual(before);
  });
});

describe("a store that another process has locked", () => {
  it("refuses what would wait too long, and takes it when the lock is gone", async () => {
    const folder = newFolder();
    const { start, effects } = story(SCRIPT, undefined, { folder });
    const server = await start();
    const thread_id = await server.begin();
    const { approval_id } = await server.pending(thread_id);
    const file = join(folder, "state.db");
    const other = new Database(file);
    other.exec("BEGIN EXCLUSIVE");
    const deciding = server.post(`/approvals/${approval_id}/decision`, { type: "approve" });
    const unlocking = sleep(8_000).then(() => other.exec("ROLLBACK"));
    const answered = await deciding;
    if (answered.status !== 200) expectRefused(answered);
    expect(effects()).toEqual([]);
    await unlocking;
    other.close();
    await untilDecided(server, approval_id);
    await expectWhole(server, thread_id, file, effects);
    expect(server.hasEnded()).toBe(false);
  });
});

describe("a store that vanishes while it is served", () => {
  it("refuses decisions as long as it is away, and takes them when it is back", async () => {
    const folder = newFolder();
    const disk = join(folder, "disk");
    mkdirSync(disk);
    const { start, effects } = story(SCRIPT, undefined, { folder, disk });
    const server = await start();
    const thread_id = await server.begin();
    const { approval_id } = await server.pending(thread_id);
    renameSync(disk, `${disk}-away`);
    expectRefused(await server.post(`/approvals/${approval_id}/decision`, { type: "approve" }));
    expect(effects()).toEqual([]);
    renameSync(`${disk}-away`, disk);
    await untilDecided(server, approval_id);
    await expectWhole(server, thread_id, join(disk, "state.db"), effects);
  });

  it("takes no decision that nobody will find again, when its file was deleted", async () => {
    const folder = newFolder();
    const { start, effects } = story(SCRIPT, undefined, { folder });
    const server = await start();
    const thread_id = await server.begin();
    const { approval_id } = await server.pending(thread_id);
    for (const end of ["", "-wal", "-shm"]) rmSync(join(folder, `state.db${end}`), { force: true });
    expectRefused(await server.post(`/approvals/${approval_id}/decision`, { type: "approve" }));
    expect(effects()).toEqual([]);
  });
});
