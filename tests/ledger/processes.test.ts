import { describe, expect, it } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { postgresUrl } from "../setup/postgres.ts";
import { ask } from "./events.ts";
import { race, raceOf } from "./race.ts";
import { limit, sumAt } from "./taking.ts";
import { tempFolder } from "./temp-folder.ts";

const newPath = tempFolder();
const postgres = postgresUrl();

async function raceFor(url: string): Promise<void> {
  const won = await race(url, 3, async () => {
    const ledger = await openLedger(url);
    const calls: [string, string][] = [];
    for (let n = 0; n < 25; n += 1) {
      const { call_id, approval_id } = await ask(ledger, `t${n % 4}`, { name: String(n) });
      calls.push([call_id, approval_id]);
    }
    await ledger.close();
    return calls;
  });
  expect(won.flat()).toHaveLength(25);
  expect(new Set(won.flat()).size).toBe(25);
  const ledger = await openLedger(url);
  expect(await ledger.verify()).toMatchObject({ ok: true, events: 75, threads: 4, broken: [] });
  await ledger.close();
}

describe("processes that open one new ledger together and race for its calls", () => {
  it("have one winner a call on a SQLite file", () => raceFor(`file:${newPath()}`), 60_000);
  it.skipIf(!postgres)(
    "have one winner a call on PostgreSQL",
    () => raceFor(`${postgres}?schema=race`),
    60_000,
  );
});

async function takeFrom(url: string): Promise<void> {
  const amounts = Array.from({ length: 50 }, (_, n) => 1 + (n % 7));
  const won = await raceOf("take", url, 2, async () => ({ start: Date.now() + 200, amounts }));
  const ledger = await openLedger(url);
  const taken = won.flat().reduce((sum, one) => sum + Number(one.split(" ")[1]), 0);
  expect(await sumAt(ledger, limit(100))).toBe(taken);
  // There are enough ones among the amounts to fill up whatever the others left.
  expect(taken).toBe(100);
  expect(await ledger.verify()).toMatchObject({ ok: true });
  await ledger.close();
}

describe("two processes that take 50 amounts each from one limit at once", () => {
  it("take all of it and no more on a SQLite file", () => takeFrom(`file:${newPath()}`), 60_000);
  it.skipIf(!postgres)(
    "take all of it and no more on PostgreSQL",
    () => takeFrom(`${postgres}?schema=takes`),
    60_000,
  );
});
