import Sqlite from "better-sqlite3";
import type { CompiledQuery } from "kysely";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { ledgerContract } from "./contract.ts";
import {
  approvalPage,
  dueApprovals,
  nextDeadline,
  unanswered,
  unansweredOf,
} from "../../src/ledger/sql/read.ts";
import { approve, ask, AT, batchOf, idOf, started, tell } from "./events.ts";
import { copy, tamperingContract, type Exposed } from "./tampering.ts";
import { tempFolder } from "./temp-folder.ts";

const newPath = tempFolder();

ledgerContract("SQLite", () => openLedger(`file:${newPath()}`));

async function openExposed(): Promise<Exposed> {
  const url = `file:${newPath()}`;
  const ledger = await openLedger(url);
  const raw = new Sqlite(url.slice("file:".length));
  const run = async (...statements: string[]) => void raw.exec(statements.join(";"));
  const triggers = ["update", "delete", "replace"].map((name) => `drop trigger ledger_events_no_${name}`);
  return { ledger, reopen: () => openLedger(url), run, disarm: () => run(...triggers) };
}

tamperingContract("SQLite", openExposed);

it.each(["or replace", "or ignore", ""])("SQLite refuses to insert %s over an event", async (how) => {
  const { ledger, run } = await openExposed();
  const { call_id } = await ask(ledger, "t1");
  await tell(ledger, call_id, [approve("apr_t1_1")]);
  for (const statement of [copy("seq + 100"), copy("seq", "thread_seq + 100", "call_version + 100")]) {
    await expect(run(statement.replace("insert into", `insert ${how} into`))).rejects.toThrow(/append-only/);
  }
  expect(await ledger.verify()).toMatchObject({ ok: true, events: 3 });
  await ledger.close();
});

it("SQLite lets others in while it verifies, and they do not change what it sees", async () => {
  const { ledger } = await openExposed();
  const batches = Array.from({ length: 600 }, (_, n) =>
    batchOf(idOf("t1", String(n)), null, [{ type: "start", data: started() }]),
  );
  await ledger.appendAll(batches);
  let turns = 0;
  let isDone = false;
  const verified = ledger.verify().finally(() => (isDone = true));
  while (!isDone) {
    await setImmediate();
    if ((turns += 1) === 2) await ask(ledger, "t2");
  }
  expect(await verified).toMatchObject({ ok: true, events: 600, threads: 1 });
  expect(turns).toBeGreaterThan(10);
  expect(await ledger.verify()).toMatchObject({ ok: true, events: 602, threads: 2 });
  await ledger.close();
});

describe("lists on SQLite", () => {
  it.each<[string, CompiledQuery]>([
    ["pending approvals", approvalPage("sqlite", {}).query],
    ["pending approvals behind a cursor", approvalPage("sqlite", { cursor: "s9" }).query],
    ["pending approvals of a thread", approvalPage("sqlite", { thread_id: "t1" }).query],
    ["approvals that are due", dueApprovals.query("sqlite", { at: AT, limit: 1 })],
    ["the next deadline", nextDeadline.query("sqlite", {})],
    ["open calls", unanswered.query("sqlite", {})],
    ["open calls of a thread", unansweredOf.query("sqlite", { thread_id: "t1" })],
  ])("come from an index that is in their order already: %s", async (_, { sql, parameters }) => {
    const path = newPath();
    await (await openLedger(`file:${path}`)).close();
    const raw = new Sqlite(path);
    const plan = raw.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(...parameters);
    const details = plan.map(({ detail }) => detail).join("; ");
    expect(details).toMatch(/USING (COVERING )?INDEX ledger_/);
    expect(details).not.toMatch(/TEMP B-TREE/);
    raw.close();
  });
});
