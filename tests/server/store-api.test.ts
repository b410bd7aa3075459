import { tool } from "@langchain/core/tools";
import { getStore } from "@langchain/langgraph";
import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createApprovalAgent, withRisk } from "../../src/graph/index.ts";
import { scriptedModel } from "../../src/models/index.ts";
import { bench, call } from "./bench.ts";

const clientOf = ({ url }: { url: string }) => new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } });

describe("the store, through the official client", () => {
  it("keeps, gets, searches, lists and deletes items", async () => {
    const { store } = clientOf(await bench([]));
    await store.putItem(["users", "ada"], "tea", { likes: true, cups: 3 });
    await store.putItem(["users", "bob"], "tea", { likes: false, cups: 0 }, { index: false, ttl: 60 });
    const item = await store.getItem(["users", "ada"], "tea");
    expect(item).toMatchObject({ namespace: ["users", "ada"], key: "tea", value: { likes: true, cups: 3 } });
    expect(Date.parse(item!.createdAt)).not.toBeNaN();
    expect(await store.getItem(["users", "ada"], "none")).toBeNull();
    const found = await store.searchItems(["users"], { filter: { cups: { $gt: 1 } }, refreshTtl: true });
    expect(found.items.map(({ namespace }) => namespace)).toEqual([["users", "ada"]]);
    const { items } = await store.searchItems([], { query: "who drinks tea?", limit: 1, offset: 1 });
    expect(items).toHaveLength(1);
    expect(items[0]).not.toHaveProperty("score");
    expect(await store.listNamespaces({ prefix: ["users"], maxDepth: 1 })).toEqual({
      namespaces: [["users"]],
    });
    await store.deleteItem(["users", "ada"], "tea");
    expect(await store.getItem(["users", "ada"], "tea", { refreshTtl: true })).toBeNull();
    expect((await store.listNamespaces()).namespaces).toEqual([["users", "bob"]]);
  });

  it("says what cannot be kept", async () => {
    const server = await bench([]);
    const { store } = clientOf(server);
    for (const value of [["a"], "text", null, 7])
      await expect(store.putItem(["a"], "k", value as never)).rejects.toThrow(/422.*"value"/);
    for (const namespace of [[], [""], ["a:b"], ["langgraph"]])
      await expect(store.putItem(namespace, "k", {})).rejects.toThrow(/422.*namespace/);
    await expect(store.putItem(["a"], "", {})).rejects.toThrow(/422.*key/);
    await expect(store.searchItems(["a"], { filter: { n: { $near: 1 } } })).rejects.toThrow(/422.*\$near/);
    for (const label of ["", "a.b", "a:b", "a\0"]) {
      await expect(store.listNamespaces({ prefix: [label] })).rejects.toThrow(/422.*namespace/);
      await expect(store.listNamespaces({ suffix: [label] })).rejects.toThrow(/422.*namespace/);
      await expect(store.searchItems([label])).rejects.toThrow(/422/);
    }
    expect((await server.get("/store/items?namespace=a..b&key=k")).status).toBe(422);
    expect((await server.get("/store/items?namespace=a")).body["errors"]).toMatchObject([{ path: "key" }]);
    expect(await store.searchItems([])).toEqual({ items: [] });
    expect(server.errors).toEqual([]);
  });

  it("is the one that graphs read and write, and is there after a restart", async () => {
    const remember = tool(
      async ({ text }: { text: string }) => {
        const store = getStore();
        const before = await store!.get(["notes"], "given");
        await store!.put(["notes"], "taken", { text, before: before?.value ?? null });
        return "noted";
      },
      { name: "remember", description: "Notes a text.", schema: z.object({ text: z.string() }) },
    );
    const agent = createApprovalAgent({
      model: scriptedModel([{ tool_calls: [call("remember", { text: "milk" }, "c1")] }, { content: "done" }]),
      tools: [withRisk(remember, "auto")],
    });
    const server = await bench([], { config: { graphs: { agent } } });
    await clientOf(server).store.putItem(["notes"], "given", { n: 1 });
    await server.begin();
    const expected = { value: { text: "milk", before: { n: 1 } } };
    expect(await clientOf(server).store.getItem(["notes"], "taken")).toMatchObject(expected);
    const again = await server.restart();
    expect(await clientOf(again).store.getItem(["notes"], "taken")).toMatchObject(expected);
  });
});

describe("crons, through the official client", () => {
  it("are refused with a sentence, whatever is asked", async () => {
    const { crons } = clientOf(await bench([]));
    const asked = [
      () => crons.create("agent", { schedule: "* * * * *" }),
      () => crons.createForThread("t1", "agent", { schedule: "* * * * *" }),
      () => crons.update("c1", { schedule: "* * * * *" }),
      () => crons.delete("c1"),
      () => crons.search({}),
      () => crons.count({}),
    ];
    for (const ask of asked) await expect(ask()).rejects.toThrow(/422.*not_supported.*scheduler/);
  });
});
