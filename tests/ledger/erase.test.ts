import Sqlite from "better-sqlite3";
import { existsSync, readFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import type { Ledger } from "../../src/ledger/index.ts";
import { openDatabase } from "../../src/ledger/sql/index.ts";
import { ledgerMigrations } from "../../src/ledger/sql/migrations.ts";
import { onPostgres, postgresUrl } from "../setup/postgres.ts";
import { approve, ask, AT, idOf, started, tell } from "./events.ts";
import { tempFolder } from "./temp-folder.ts";

const newPath = tempFolder();
const database = postgresUrl();
const erasure = { at: AT, by: { kind: "user" as const } };
let schemas = 0;

interface Store {
  ledger: Ledger;
  run(...statements: string[]): Promise<void>;
  disarm(): Promise<void>;
}

async function sqlite(): Promise<Store> {
  const path = newPath();
  const ledger = await openLedger(`file:${path}`);
  const raw = new Sqlite(path);
  const run = async (...statements: string[]) => void raw.exec(statements.join(";"));
  return { ledger, run, disarm: () => run("drop trigger ledger_events_no_update") };
}

async function postgres(): Promise<Store> {
  const schema = `erase_${(schemas += 1)}`;
  const run = (...statements: string[]) =>
    onPostgres(database ?? "", `set search_path = ${schema}`, ...statements);
  const disarm = () => run("alter table ledger_events disable trigger all");
  return { ledger: await openLedger(`${database}?schema=${schema}`), run, disarm };
}

const stores: [string, () => Promise<Store>][] = [["SQLite", sqlite]];
if (database) stores.push(["PostgreSQL", postgres]);

describe.each(stores)("%s: a thread that is erased", (_, open) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
    const { call_id, approval_id } = await ask(store.ledger, "t1");
    await tell(store.ledger, call_id, [approve(approval_id)]);
    await ask(store.ledger, "t2");
    return () => store.ledger.close();
  });
  const problems = async () =>
    (await store.ledger.verify()).broken.map(({ seq, problem }) => `${seq} ${problem}`);

  it("is the only one whose payloads the database lets go", async () => {
    await store.ledger.erase("t1", erasure);
    for (const change of [
      "data = null where seq = 4",
      "data = '{}' where seq = 1",
      "data = null, at = 'x' where seq = 1",
      "at = 'x' where seq = 1",
      "data = null where type = 'thread_erased'",
    ])
      await expect(store.run(`update ledger_events set ${change}`)).rejects.toThrow(/append-only/);
    await expect(store.run("delete from ledger_events where seq = 1")).rejects.toThrow(/append-only/);
    expect(await store.ledger.verify()).toMatchObject({ ok: true, events: 6, erased: 3 });
  });

  it("lets no payload go before the event that says so, nor once something has come after it", async () => {
    const drop = "update ledger_events set data = null where thread_id = 't1'";
    await expect(store.run(drop)).rejects.toThrow(/append-only/);
    await store.ledger.erase("t1", erasure);
    await tell(store.ledger, idOf("t1", "2"), [{ type: "start", data: started() }]);
    await expect(store.run(drop)).rejects.toThrow(/append-only/);
  });

  it("does not hide that another payload is missing", async () => {
    await store.ledger.erase("t1", erasure);
    const after = await ask(store.ledger, "t1", { name: "2" });
    await store.disarm();
    await store.run("update ledger_events set data = null where seq in (5, 8)");
    expect(await problems()).toEqual([
      expect.stringContaining("5 event 5 was changed: its payload is missing"),
      expect.stringContaining("8 event 8 was changed: its payload is missing"),
      ...([expect.any(String), expect.any(String)] as string[]),
    ]);
    await expect(store.ledger.call(after.call_id)).rejects.toMatchObject({ code: "tampered" });
    await expect(store.ledger.events({})).rejects.toMatchObject({ code: "tampered" });
    await expect(store.ledger.record({})).rejects.toMatchObject({ code: "tampered" });
  });

  it("is found when its erasure, a hash or the number of payloads was changed", async () => {
    await store.ledger.erase("t1", erasure);
    await store.disarm();
    await store.run("update ledger_events set at = '2020' where seq = 1");
    expect(await problems()).toEqual([expect.stringContaining("event 1 was changed: it does not match")]);
    await store.run(`update ledger_events set at = '${AT}', data = 'x' where seq = 1`);
    expect((await problems()).join()).toMatch(
      /event 1 was changed.*3 payloads were erased, and 2 are missing/,
    );
    await store.run("update ledger_events set data = null where seq = 1 or type = 'thread_erased'");
    expect((await problems()).join()).toMatch(/event 1 was changed: its payload is missing/);
  });
});

it.each([
  ["SQLite", () => `file:${newPath()}`],
  ...(database ? [["PostgreSQL", () => `${database}?schema=erase_old`] as const] : []),
] as const)("%s: is erased in a store that an earlier version made", async (_, urlOf) => {
  const opened = await openDatabase(urlOf());
  await opened.migrate("ledger", ledgerMigrations.slice(0, 1));
  const ledger = await openLedger(opened);
  await ask(ledger, "t1");
  expect(await ledger.erase("t1", erasure)).toBe(2);
  expect(await ledger.verify()).toMatchObject({ ok: true, erased: 2 });
  await ledger.close();
  await opened.close();
});

it("leaves no byte of it in SQLite's file once its log was written out", async () => {
  const path = newPath();
  const opened = await openDatabase(`file:${path}`);
  const ledger = await openLedger(opened);
  const secret = "attack at dawn";
  const bytes = () =>
    [path, `${path}-wal`].map((file) => existsSync(file) && readFileSync(file).includes(secret));
  for (const size of [10, 3_000, 20_000]) {
    const args = { text: secret, more: "x".repeat(size) };
    const { call_id, approval_id } = await ask(ledger, "t1", { name: String(size), args });
    await tell(ledger, call_id, [approve(approval_id)]);
    await ask(ledger, "t2", { name: String(size) });
  }
  await opened.scrub();
  expect(bytes()).toEqual([true, false]);
  await ledger.erase("t1", erasure);
  expect(await opened.scrub()).toBe(true);
  expect(bytes()).toEqual([false, false]);
  expect(await ledger.verify()).toMatchObject({ ok: true, erased: 9 });
  await ledger.close();
  await opened.close();
});

it("does not wait for somebody who reads when the log is to be written out", async () => {
  const path = newPath();
  const opened = await openDatabase(`file:${path}`);
  const ledger = await openLedger(opened);
  await ask(ledger, "t1");
  const reader = new Sqlite(path);
  reader.exec("begin; select count(*) from ledger_events");
  await ask(ledger, "t1", { name: "2" });
  const begun = performance.now();
  expect(await opened.scrub()).toBe(false);
  expect(performance.now() - begun).toBeLessThan(2_000);
  reader.exec("rollback");
  expect(await opened.scrub()).toBe(true);
  reader.close();
  await ledger.close();
  await opened.close();
});
