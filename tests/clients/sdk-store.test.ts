import { describe, expect, it } from "vitest";
import { refusal } from "../server/sdk-client.ts";
import { Recording } from "./recording.ts";

const store = new Recording("store");
const crons = new Recording("crons");

describe("the published client's store", () => {
  it("keeps an item, shows it, finds it, lists its namespace and deletes it", async () => {
    const { client } = await store.connected([]);
    const namespace = ["users", "ada"];
    expect(await client.store.putItem(namespace, "tea", { cups: 3 }, { ttl: 60 })).toBeUndefined();
    const item = {
      ...{ namespace, key: "tea", value: { cups: 3 } },
      ...{ createdAt: expect.any(String) as string, updatedAt: expect.any(String) as string },
    };
    expect(await client.store.getItem(namespace, "tea", { refreshTtl: true })).toMatchObject(item);
    const { items } = await client.store.searchItems(["users"], { filter: { cups: 3 }, limit: 5, offset: 0 });
    expect(items).toMatchObject([item]);
    const prefix = { prefix: ["users"], suffix: ["ada"], maxDepth: 2, limit: 5, offset: 0 };
    expect(await client.store.listNamespaces(prefix)).toEqual({ namespaces: [namespace] });
    await client.store.deleteItem(namespace, "tea");
    expect(await client.store.getItem(namespace, "tea")).toBeNull();
  });

  it("is asked for all that it can do: no method is left out", () => {
    expect(store.missed()).toEqual([]);
  });
});

describe("the published client's crons", () => {
  it("are refused, each with the same code and no repetition", async () => {
    const { client } = await crons.connected([]);
    const { thread_id } = await client.threads.create();
    const schedule = "* * * * *";
    const refused = { status: 422, code: "not_supported" };
    for (const ask of [
      () => client.crons.create("agent", { schedule }),
      () => client.crons.createForThread(thread_id, "agent", { schedule }),
      () => client.crons.update("of-nobody", { schedule }),
      () => client.crons.search({ assistantId: "agent" }),
      () => client.crons.count({ threadId: thread_id }),
      () => client.crons.delete("of-nobody"),
    ])
      expect(await refusal(ask())).toEqual(refused);
  });

  it("are all asked for here: no method is left out", () => {
    expect(crons.missed()).toEqual([]);
  });
});
