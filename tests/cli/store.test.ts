import Sqlite from "better-sqlite3";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { backupStore, checkStore, restoreStore } from "../../src/wire.ts";
import { bench, folder, remove } from "../server/bench.ts";
import { postgresUrl } from "../setup/postgres.ts";
import { runCli } from "./run-cli.ts";

const steps = [remove("a"), { content: "done" }];
const postgres = postgresUrl();
const opened: Sqlite.Database[] = [];
afterEach(() => opened.splice(0).forEach((one) => one.close()));

/** Changes a store behind everybody's back. */
function change(path: string, ...statements: string[]): void {
  const raw = new Sqlite(path);
  raw.exec(statements.join(";"));
  raw.close();
}

const pathOf = (store: string): string => store.slice("file:".length);
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** A store with one thread that waits for a decision, and no server on it. */
async function waiting() {
  const server = await bench(steps);
  const { thread_id } = await server.begin();
  const [approval] = await server.pending();
  await server.server.stop();
  return { ...server, thread_id, approval: approval!, path: pathOf(server.store) };
}

describe("countersign store", () => {
  it("backs up while a server writes, refuses to restore under it, and restores once it has stopped", async () => {
    const first = await bench(steps);
    const { thread_id } = await first.begin();
    const [approval] = await first.pending();
    let isDone = false;
    const writing = (async () => {
      while (!isDone) {
        await first.begin();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    const to = join(folder(), "backup.db");
    const at = ["--store", first.store];
    const made = await runCli(["store", "backup", to, ...at]);
    isDone = true;
    await writing;
    expect(made.stderr).toBe("");
    expect(made.stdout).toMatch(
      /^Backed up to .*backup\.db\nbytes {6}\d+\nevents {5}\d+\nthreads {4}\d+\nhead {7}\w{64}\n$/,
    );
    expect(mode(to)).toBe("600");
    expect([`${to}-wal`, `${to}-shm`].some((file) => existsSync(file))).toBe(false);
    await first.post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
    const early = await runCli(["store", "restore", to, ...at]);
    expect(early).toMatchObject({ code: 1, stdout: "" });
    expect(early.stderr).toMatch(/Stop the server/);
    expect((await first.get("/ok")).status).toBe(200);
    await first.server.stop();
    const restored = await runCli(["store", "restore", to, ...at]);
    expect(restored.stderr).toBe("");
    expect(restored.stdout).toMatch(
      /^Restored file:.*\nevents {5}\d+\nkept {7}.*\.bak\nGone: \d+ events.*\n.*look at what is open/,
    );
    expect(await checkStore(first.store)).toMatchObject({ ok: true });
    const second = await first.restart();
    expect(await second.pending(thread_id)).toMatchObject([{ approval_id: approval!.approval_id }]);
    expect((await second.get("/audit/verify")).body["ok"]).toBe(true);
  }, 60_000);

  it("says where there is nothing to check, to back up or to restore, and makes nothing", async () => {
    const path = join(folder(), "none.db");
    const { code, stderr } = await runCli(["store", "check", "--store", `file:${path}`]);
    expect(code).toBe(1);
    expect(stderr).toBe(`There is no store at ${path}.\n`);
    const missing = { code: "bad_store" };
    await expect(backupStore(`file:${path}`, `${path}.copy`)).rejects.toMatchObject(missing);
    await expect(restoreStore(`file:${path}`, `${path}.copy`)).rejects.toMatchObject(missing);
    expect(existsSync(path)).toBe(false);
  }, 60_000);
});

describe("a backup", () => {
  it("is a whole store, checked, of which the old one is replaced only by force", async () => {
    const { store } = await waiting();
    const to = join(folder(), "backup.db");
    const { check } = await backupStore(store, to);
    expect(check).toMatchObject({ ok: true, findings: [], record: { ok: true, threads: 1 } });
    await expect(backupStore(store, to)).rejects.toMatchObject({ code: "file_exists" });
    writeFileSync(to, "old");
    await backupStore(store, to, { force: true });
    expect(await checkStore(`file:${to}`)).toMatchObject({ ok: true });
    await expect(backupStore(store, pathOf(store), { force: true })).rejects.toMatchObject({
      code: "bad_store",
    });
  });

  it("holds nothing of a thread that was erased before", async () => {
    const server = await bench([remove("attack-at-dawn"), { content: "done" }]);
    const { thread_id } = await server.begin();
    await server.remove(`/threads/${thread_id}`);
    const to = join(folder(), "backup.db");
    expect((await backupStore(server.store, to)).check).toMatchObject({ ok: true, record: { erased: 6 } });
    expect(readFileSync(to).includes("attack-at-dawn")).toBe(false);
  });

  it("is not restored when it was damaged or changed, and the store stays as it was", async () => {
    const { store, path } = await waiting();
    const to = join(folder(), "backup.db");
    await backupStore(store, to);
    const before = readFileSync(path);
    change(to, "drop trigger ledger_events_no_update", "update ledger_events set at = '2020' where seq = 1");
    await expect(restoreStore(store, to)).rejects.toMatchObject({ code: "store_damaged" });
    writeFileSync(to, readFileSync(to).fill(7, 4_096));
    await expect(restoreStore(store, to)).rejects.toMatchObject({ code: "store_damaged" });
    writeFileSync(to, "no database");
    await expect(restoreStore(store, to)).rejects.toMatchObject({ code: "store_damaged" });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(`${path}.bak`)).toBe(false);
  });

  it("is restored where no store is, and keeps each store that it replaces", async () => {
    const { store } = await waiting();
    const to = join(folder(), "backup.db");
    await backupStore(store, to);
    const target = join(folder(), "new/state.db");
    expect(await restoreStore(`file:${target}`, to)).toMatchObject({ kept: null, lost: 0 });
    expect(mode(target)).toBe("600");
    expect(await restoreStore(`file:${target}`, to)).toMatchObject({ kept: `${target}.bak`, lost: 0 });
    expect(await restoreStore(`file:${target}`, to)).toMatchObject({ kept: `${target}.bak.2`, lost: 0 });
    expect(await checkStore(`file:${target}`)).toMatchObject({ ok: true });
  });

  it("is not restored while anybody has the store open, server or not", async () => {
    const { store, path } = await waiting();
    const to = join(folder(), "backup.db");
    await backupStore(store, to);
    const reader = new Sqlite(path);
    opened.push(reader);
    reader.prepare("select count(*) from ledger_events").get();
    await expect(restoreStore(store, to)).rejects.toMatchObject({ code: "store_in_use" });
    expect(existsSync(`${path}.bak`)).toBe(false);
  });
});

describe("a check", () => {
  it("finds what was changed, what is left over, and what a later version made", async () => {
    const { store, path, thread_id, approval } = await waiting();
    change(
      path,
      "drop trigger ledger_events_no_update",
      "update ledger_events set at = '2020' where seq = 1",
      "delete from server_threads",
      "delete from checkpoints",
      `insert into server_threads (thread_id, created_at, updated_at, metadata_json, status)
         values ('stuck', '', '', '{}', 'busy')`,
    );
    const { ok, findings } = await checkStore(store);
    expect(ok).toBe(false);
    expect(findings).toEqual([
      { kind: "record", message: expect.stringMatching(/thread .*: event 1 was changed/) as string },
      { kind: "dangling", message: `call ${approval.call_id} waits on thread ${thread_id}, which is gone` },
      { kind: "dangling", message: "thread stuck is busy, and no run of it goes on" },
      {
        kind: "dangling",
        message: expect.stringMatching(/^run .* is of thread .*, which is gone$/) as string,
      },
    ]);
    change(path, "update countersign_schema set version = 99 where room = 'ledger'");
    expect((await checkStore(store)).findings).toMatchObject([{ kind: "schema" }]);
    const printed = await runCli(["store", "check", "--store", store]);
    expect(printed).toMatchObject({ code: 1 });
    expect(printed.stdout).toMatch(
      /^The store is not sound\.\nschema {5}the tables of "ledger" have version 99/,
    );
  });

  it("finds a damaged file", async () => {
    const { store, path } = await waiting();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0x7f, bytes.length - 8_192, bytes.length - 4_096));
    const found = await checkStore(store).catch((error: unknown) => error);
    expect(JSON.stringify(found)).toMatch(/"kind":"file"|SQLITE_CORRUPT|unwritable|malformed/);
  });

  it("changes nothing, and needs no server to have used the store", async () => {
    const path = join(folder(), "other.db");
    change(path, "create table t (x)");
    await expect(checkStore(`file:${path}`)).rejects.toMatchObject({ code: "bad_store" });
    const { store, path: used } = await waiting();
    const version = () => {
      const raw = new Sqlite(used, { readonly: true });
      const rows = raw.prepare("select * from countersign_schema order by room").all();
      raw.close();
      return rows;
    };
    change(used, "delete from countersign_schema where room = 'keeping'");
    const before = version();
    await checkStore(store);
    expect(version()).toEqual(before);
  });

  it.skipIf(postgres === undefined)("looks at PostgreSQL, whose own tools make its backups", async () => {
    const server = await bench(steps, { store: postgres! });
    await server.begin();
    expect(await checkStore(postgres!)).toMatchObject({ ok: true, record: { ok: true } });
    await expect(backupStore(postgres!, "x")).rejects.toThrow(/pg_dump/);
    await expect(restoreStore(postgres!, "x")).rejects.toThrow(/pg_restore/);
  });
});
