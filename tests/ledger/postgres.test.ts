import { describe, expect, it } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { onPostgres, postgresUrl } from "../setup/postgres.ts";
import { ledgerContract } from "./contract.ts";
import { ask } from "./events.ts";
import { tamperingContract, type Exposed } from "./tampering.ts";

const database = postgresUrl();
let count = 0;
const newSchema = () => `ledger_${(count += 1)}`;

async function openExposed(): Promise<Exposed> {
  const schema = newSchema();
  const url = `${database}?schema=${schema}`;
  const run = (...statements: string[]) =>
    onPostgres(database ?? "", `set search_path = ${schema}`, ...statements);
  const disarm = () => run("alter table ledger_events disable trigger all");
  return { ledger: await openLedger(url), reopen: () => openLedger(url), run, disarm };
}

describe.skipIf(!database)("PostgreSQL", () => {
  ledgerContract("PostgreSQL", () => openLedger(`${database}?schema=${newSchema()}`));
  tamperingContract("PostgreSQL", openExposed);

  it("refuses to empty the table of events", async () => {
    const { ledger, run } = await openExposed();
    await ask(ledger, "t1");
    await expect(run("truncate ledger_events")).rejects.toThrow(/append-only/);
    expect(await ledger.verify()).toMatchObject({ ok: true, events: 2 });
    await ledger.close();
  });

  it("keeps schemas apart, and uses public when none is named", async () => {
    const [first, second] = await Promise.all([openExposed(), openExposed()]);
    await ask(first.ledger, "t1");
    expect(await second.ledger.head()).toMatchObject({ seq: 0 });
    const inPublic = await openLedger(database ?? "");
    expect(await inPublic.head()).toMatchObject({ seq: 0 });
    await onPostgres(database ?? "", "select seq from public.ledger_head");
    await Promise.all([first.ledger.close(), second.ledger.close(), inPublic.close()]);
  });

  it("shows its address without the password", async () => {
    const url = new URL(`${database}?schema=${newSchema()}`);
    url.password = "a secret";
    const ledger = await openLedger(url.href);
    expect(ledger.url).toMatch(
      /^postgres:\/\/postgres@127\.0\.0\.1:5432\/countersign_test_\w+\?schema=ledger_\d+$/,
    );
    await ledger.close();
  });

  it("goes on after its connections were broken off", async () => {
    const { ledger } = await openExposed();
    await ask(ledger, "t1");
    await onPostgres(
      database ?? "",
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    const again = async () => (await ledger.head()).seq;
    await expect.poll(() => again().catch(() => null)).toBe(2);
    await ledger.close();
  });

  it("is refused when nothing answers there, with a clear error", async () => {
    await expect(openLedger("postgres://someone:pw@127.0.0.1:1/none")).rejects.toMatchObject({
      code: "unwritable",
      message: expect.stringMatching(
        /^The store postgres:\/\/someone@127\.0\.0\.1:1\/none cannot be written: /,
      ) as string,
    });
  });

  it.each(["a b", "x;drop", "", "A", '"x"'])("refuses %j as a schema", async (schema) => {
    const url = `postgres://localhost/test?schema=${encodeURIComponent(schema)}`;
    await expect(openLedger(url)).rejects.toMatchObject({ code: "bad_url" });
  });

  it("refuses a database that a later version made", async () => {
    const { ledger, run, reopen } = await openExposed();
    await run("update countersign_schema set version = 99");
    await expect(reopen()).rejects.toMatchObject({ code: "newer_schema" });
    await ledger.close();
  });
});
