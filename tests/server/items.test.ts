import { InMemoryStore } from "@langchain/langgraph-checkpoint";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../src/ledger/sql/index.ts";
import { itemMigrations, ItemStore } from "../../src/server/index.ts";
import { onPostgres, postgresUrl } from "../setup/postgres.ts";
import { folder } from "./bench.ts";
import { longTermStoreContract } from "./items.ts";

async function openItems(url: string, clock = Date.now): Promise<ItemStore> {
  const database = await openDatabase(url);
  onTestFinished(() => database.close());
  await database.migrate("items", itemMigrations);
  return new ItemStore(database, clock);
}
const newFile = (): string => `file:${join(folder(), "items.db")}`;

describe("LangGraph's own store, which the contract is taken from", () => {
  longTermStoreContract(() => Promise.resolve(new InMemoryStore()));
});

describe("items in SQLite", () => {
  longTermStoreContract(() => openItems(newFile()));
});

const postgres = postgresUrl();
describe.skipIf(postgres === undefined)("items in PostgreSQL", () => {
  longTermStoreContract(async () => {
    const store = await openItems(postgres!);
    await onPostgres(postgres!, "delete from server_items");
    return store;
  });
});

describe("items", () => {
  it("are there after the database was closed", async () => {
    const url = newFile();
    await (await openItems(url)).put(["a"], "k", { n: 1 });
    expect((await (await openItems(url)).get(["a"], "k"))?.value).toEqual({ n: 1 });
  });

  it("compare values as a whole, and texts as texts", async () => {
    const store = await openItems(newFile());
    await store.put(["a"], "k", { tags: ["x", { y: 1 }], at: "2026-02-01T00:00:00Z" });
    const count = async (filter: Record<string, unknown>) => (await store.search(["a"], { filter })).length;
    expect(await count({ tags: ["x", { y: 1 }] })).toBe(1);
    expect(await count({ tags: ["x"] })).toBe(0);
    expect(await count({ at: { $gt: "2026-01-31" } })).toBe(1);
    expect(await count({ at: { $lt: "2026-01-31" } })).toBe(0);
    await expect(store.search(["a"], { filter: { at: { $regex: "x" } } })).rejects.toThrow(/\$regex.*\$eq/);
  });

  it("end when their time to live is over, and begin it anew only when that is asked for", async () => {
    const MINUTE = 60_000;
    let now = Date.parse("2026-01-01T00:00:00Z");
    const store = await openItems(newFile(), () => now);
    const place = { namespace: ["a"], key: "k" };
    await store.batch([{ ...place, value: { n: 1 }, ttl: 10 }]);
    now += 9 * MINUTE;
    expect(await store.get(["a"], "k")).not.toBeNull();
    expect(await store.batch([{ ...place, refreshTtl: true }])).toMatchObject([{ value: { n: 1 } }]);
    now += 9 * MINUTE;
    expect(await store.search(["a"])).toHaveLength(1);
    now += 2 * MINUTE;
    expect(await store.get(["a"], "k")).toBeNull();
    expect(await store.search([])).toEqual([]);
    expect(await store.listNamespaces()).toEqual([]);
    // One that was replaced without a time to live stays.
    await store.batch([{ ...place, value: { n: 2 }, ttl: 1 }]);
    await store.put(["a"], "k", { n: 3 });
    now += 99 * MINUTE;
    expect((await store.get(["a"], "k"))?.value).toEqual({ n: 3 });
  });

  it("write nothing of a batch that cannot be written whole", async () => {
    const store = await openItems(newFile());
    const list = [1] as unknown as Record<string, unknown>;
    const batch = store.batch([
      { namespace: ["a"], key: "k", value: { n: 1 } },
      { namespace: ["a"], key: "l", value: list },
    ]);
    await expect(batch).rejects.toThrow(/no JSON object/);
    for (const key of ["", "k\0", "\ud800", "k".repeat(1_025)])
      await expect(store.put(["a"], key, {})).rejects.toThrow(/"key"/);
    expect(await store.search([])).toEqual([]);
  });
});
