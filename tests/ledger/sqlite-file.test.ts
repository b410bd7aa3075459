import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { openDatabase } from "../../src/ledger/sql/index.ts";
import { ask } from "./events.ts";
import { tempFolder } from "./temp-folder.ts";

const newPath = tempFolder();

describe("the file of a SQLite ledger", () => {
  it("is made with its directory, for this user alone, its companions too", async () => {
    const path = newPath("deep/er/state.db");
    const ledger = await openLedger(`file:${path}`);
    await ask(ledger, "t1");
    const modes = readdirSync(dirname(path)).map((name) => [
      name,
      statSync(join(dirname(path), name)).mode & 0o777,
    ]);
    expect(Object.fromEntries(modes)).toEqual({
      "state.db": 0o600,
      "state.db-wal": 0o600,
      "state.db-shm": 0o600,
    });
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    await ledger.close();
  });

  it("is closed to others when it was open to them", async () => {
    const path = newPath();
    await (await openLedger(`file:${path}`)).close();
    chmodSync(path, 0o644);
    const ledger = await openLedger(`file:${path}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await ledger.close();
  });

  it("holds what was written after it was closed and opened again", async () => {
    const path = newPath();
    const first = await openLedger(`file:${path}`);
    const { call_id, call } = await ask(first, "t1");
    const head = await first.head();
    await first.close();
    const second = await openLedger(`file:${path}`);
    expect(await second.call(call_id)).toEqual(call);
    expect(await second.head()).toEqual(head);
    await second.close();
  });

  it("is written through to the disk by the commits that must be, in WAL mode, and by those only", async () => {
    const database = await openDatabase(`file:${newPath()}`);
    const { ask: rowsOf } = await import("../../src/ledger/sql/index.ts");
    const { CompiledQuery } = await import("kysely");
    const pragma = (name: string) => () => rowsOf(CompiledQuery.raw(`pragma ${name}`));
    expect(await database.read(pragma("journal_mode"))).toEqual([{ journal_mode: "wal" }]);
    expect(await database.run(pragma("synchronous"))).toEqual([{ synchronous: 1 }]);
    expect(await database.run(pragma("synchronous"), { force: true })).toEqual([{ synchronous: 2 }]);
    expect(await database.run(pragma("synchronous"))).toEqual([{ synchronous: 1 }]);
    await database.close();
  });

  it("takes relative addresses, and those with a host-less authority", async () => {
    const path = newPath("a b.db");
    const ledger = await openLedger(new URL(`file://${path}`).href);
    expect(existsSync(path)).toBe(true);
    expect(ledger.url).toBe(`file:${path}`);
    await ledger.close();
  });
});

describe("a SQLite file that cannot be a ledger", () => {
  it.each([
    "file:",
    "file::memory:",
    "file:a.db?mode=ro",
    "file://host/a.db",
    "sqlite:a.db",
    "state.db",
    "",
    "memory",
  ])("is refused by its address: %j", async (url) => {
    await expect(openLedger(url)).rejects.toMatchObject({ code: "bad_url" });
  });

  it("is refused when it is a directory, in a file's place, or no database, and named with what to do", async () => {
    const folder = newPath("folder");
    mkdirSync(folder, { recursive: true });
    const text = newPath("text.db");
    mkdirSync(dirname(text), { recursive: true });
    writeFileSync(text, "not a database, though long enough to be read as one ".repeat(100));
    for (const path of [folder, join(text, "state.db"), text, "/proc/nowhere/state.db"]) {
      await expect(openLedger(`file:${path}`)).rejects.toMatchObject({
        code: "unwritable",
        message: expect.stringMatching(
          new RegExp(`^The store ${path} cannot be written: .*\\. .*path\\.$`),
        ) as string,
      });
    }
  });

  it("is refused when a later version made it, and is not touched", async () => {
    const path = newPath();
    await (await openLedger(`file:${path}`)).close();
    const raw = new Sqlite(path);
    raw.exec("update countersign_schema set version = 99");
    await expect(openLedger(`file:${path}`)).rejects.toMatchObject({
      code: "newer_schema",
      message: expect.stringContaining('"ledger" have version 99') as string,
    });
    expect(raw.prepare("select version from countersign_schema").pluck().get()).toBe(99);
    raw.close();
  });

  it("fails to append while another holds it, with a clear error, and appends after", async () => {
    const path = newPath();
    const ledger = await openLedger(`file:${path}`, { busyTimeoutMs: 50 });
    const raw = new Sqlite(path);
    raw.exec("begin immediate");
    await expect(ask(ledger, "t1")).rejects.toMatchObject({
      code: "unwritable",
      cause: { code: "SQLITE_BUSY" },
      message: expect.stringContaining("Another process holds it") as string,
    });
    raw.exec("rollback");
    await ask(ledger, "t1");
    raw.close();
    await ledger.close();
  });

  it("fails to append when the disk is full, with a clear error, and keeps what it had", async () => {
    const path = newPath();
    const database = await openDatabase(`file:${path}`);
    const ledger = await openLedger(database);
    await ask(ledger, "t1");
    const { CompiledQuery } = await import("kysely");
    const { ask: rowsOf } = await import("../../src/ledger/sql/index.ts");
    await database.read(() => rowsOf(CompiledQuery.raw("pragma max_page_count = 1")));
    const description = "x".repeat(500_000);
    await expect(ask(ledger, "t2", { description })).rejects.toMatchObject({
      code: "unwritable",
      cause: { code: "SQLITE_FULL" },
      message: expect.stringContaining("Make room on the disk") as string,
    });
    expect(await ledger.verify()).toMatchObject({ ok: true, events: 2 });
    await database.close();
  });
});
