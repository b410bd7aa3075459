import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { expect, it } from "vitest";

const docs = ["docs", "eu"];

/** What LangGraph promises of a long-term store, whichever keeps it. `open` gives an empty one. */
export function longTermStoreContract(open: () => Promise<BaseStore>): void {
  it("keeps an item, replaces it and forgets it", async () => {
    const store = await open();
    expect(await store.get(docs, "a")).toBeNull();
    await store.put(docs, "a", { title: "One", deep: { list: [1, null, "x"] } });
    const first = await store.get(docs, "a");
    expect(first).toMatchObject({ namespace: docs, key: "a", value: { deep: { list: [1, null, "x"] } } });
    expect(first?.createdAt).toBeInstanceOf(Date);
    const made = first?.createdAt.getTime();
    await store.put(docs, "a", { title: "Two" });
    const second = await store.get(docs, "a");
    expect(second?.value).toEqual({ title: "Two" });
    expect(second?.createdAt.getTime()).toBe(made);
    await store.delete(docs, "a");
    await store.delete(docs, "a");
    expect(await store.get(docs, "a")).toBeNull();
  });

  it("keeps items of one key in two namespaces apart", async () => {
    const store = await open();
    await store.put(["users", "1"], "name", { is: "Ada" });
    await store.put(["users", "2"], "name", { is: "Bob" });
    expect((await store.get(["users", "1"], "name"))?.value).toEqual({ is: "Ada" });
    expect((await store.get(["users", "2"], "name"))?.value).toEqual({ is: "Bob" });
  });

  it("searches a namespace and what is below it, and nothing that only begins alike", async () => {
    const store = await open();
    for (const namespace of [["a"], ["a", "b"], ["ab"], ["a%"], ["A"], ["ä", "b"], ["b", "a"]])
      await store.put(namespace, "k", { at: namespace.join("/") });
    const under = async (...prefix: string[]) =>
      (await store.search(prefix)).map(({ value }) => value["at"] as string).sort();
    expect(await under("a")).toEqual(["a", "a/b"]);
    expect(await under("a", "b")).toEqual(["a/b"]);
    expect(await under("ä")).toEqual(["ä/b"]);
    expect(await under("none")).toEqual([]);
    expect(await under()).toHaveLength(7);
  });

  it("filters by what a value holds", async () => {
    const store = await open();
    for (const size of [1, 2, 10])
      await store.put(docs, `k${size}`, { size, kind: size > 1 ? "big" : "small" });
    const found = async (filter: Record<string, unknown>) =>
      (await store.search(docs, { filter }))
        .map(({ value }) => value["size"] as number)
        .sort((a, b) => a - b);
    expect(await found({ kind: "big" })).toEqual([2, 10]);
    expect(await found({ kind: { $eq: "big" }, size: { $ne: 2 } })).toEqual([10]);
    expect(await found({ size: { $gt: 1, $lte: 10 } })).toEqual([2, 10]);
    expect(await found({ size: { $gte: 2, $lt: 10 } })).toEqual([2]);
    expect(await found({ size: { $in: [1, 10, 11] } })).toEqual([1, 10]);
    expect(await found({ size: { $nin: [1, 10] } })).toEqual([2]);
    expect(await found({ size: { $gt: "9" } })).toEqual([10]);
    expect(await found({ missing: "big" })).toEqual([]);
    expect(await found({ constructor: { $gt: 0 } })).toEqual([]);
  });

  it("gives a search in pages", async () => {
    const store = await open();
    for (let index = 0; index < 5; index += 1) await store.put(docs, `k${index}`, { index });
    const pages = [await store.search(docs, { limit: 2 }), await store.search(docs, { limit: 3, offset: 2 })];
    expect(pages.map(({ length }) => length)).toEqual([2, 3]);
    expect(new Set(pages.flat().map(({ key }) => key)).size).toBe(5);
    const filter = { index: { $gte: 1 } };
    expect(await store.search(docs, { filter, limit: 3, offset: 3 })).toHaveLength(1);
  });

  it("lists namespaces by how they begin and end, and how deep they are", async () => {
    const store = await open();
    for (const namespace of [["a", "b", "c"], ["a", "b", "d"], ["a", "x", "c"], ["z"]])
      for (const key of ["one", "two"]) await store.put(namespace, key, {});
    expect(await store.listNamespaces()).toEqual([["a", "b", "c"], ["a", "b", "d"], ["a", "x", "c"], ["z"]]);
    expect(await store.listNamespaces({ prefix: ["a", "b"] })).toHaveLength(2);
    expect(await store.listNamespaces({ prefix: ["a", "*"], suffix: ["c"] })).toEqual([
      ["a", "b", "c"],
      ["a", "x", "c"],
    ]);
    expect(await store.listNamespaces({ maxDepth: 2 })).toEqual([["a", "b"], ["a", "x"], ["z"]]);
    expect(await store.listNamespaces({ maxDepth: 1, limit: 1, offset: 1 })).toEqual([["z"]]);
  });

  it("refuses namespaces that would mean something else", async () => {
    const store = await open();
    for (const namespace of [[], [""], ["a", ""], ["a.b"], ["a:b"], ["a\0"], ["langgraph", "x"]])
      await expect(store.put(namespace, "k", {}), namespace.join("/")).rejects.toThrow(/namespace/i);
    expect(await store.search([])).toEqual([]);
  });

  it("reads before it writes in one batch, and the last write of an item stands", async () => {
    const store = await open();
    await store.put(docs, "a", { n: 0 });
    const results = await store.batch([
      { namespace: docs, key: "a", value: { n: 1 } },
      { namespace: docs, key: "a" },
      { namespacePrefix: docs, limit: 10, offset: 0 },
      { namespace: docs, key: "a", value: { n: 2 } },
    ]);
    expect(results).toHaveLength(4);
    expect(results[2]).toHaveLength(1);
    expect((await store.get(docs, "a"))?.value).toEqual({ n: 2 });
  });
}
