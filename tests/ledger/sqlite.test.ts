import Sqlite from "better-sqlite3";
import { expect, it } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { ledgerContract } from "./contract.ts";
import { approve, ask, tell } from "./events.ts";
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
