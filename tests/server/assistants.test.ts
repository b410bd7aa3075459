import { Client, type Metadata } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { bench, textOf, type BenchOptions } from "./bench.ts";

const SYSTEM_ID = "fe096781-5601-53d2-b2f6-0d3403f7e9ca";
const UNSTORABLE = { of: { lc: 1, type: "constructor", id: ["a", "b"], kwargs: {} } };
const NOWHERE = "0d2f6d3e-6b0e-4c56-9b86-4b1f0f0f0f0f";

async function connected(options: BenchOptions = {}) {
  const server = await bench([{ content: "done" }], options);
  const client = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } });
  return { ...server, client, assistants: client.assistants };
}

describe("the assistant that each graph has by itself", () => {
  it("is found by the graph's name and by an id that follows from it", async () => {
    const { assistants } = await connected();
    const own = await assistants.get("agent");
    expect(own).toMatchObject({
      ...{ assistant_id: SYSTEM_ID, graph_id: "agent", name: "agent", version: 1 },
      ...{ metadata: { created_by: "system" }, config: {}, context: {} },
    });
    expect(await assistants.get(SYSTEM_ID)).toEqual(own);
    expect(await assistants.search({ metadata: { created_by: "system" } })).toEqual([own]);
    expect(await assistants.getVersions(SYSTEM_ID)).toMatchObject([{ version: 1, graph_id: "agent" }]);
    expect(await assistants.setLatest(SYSTEM_ID, 1)).toEqual(own);
  });

  it("cannot be changed, deleted or replaced", async () => {
    const { assistants } = await connected();
    await expect(assistants.update("agent", { name: "mine" })).rejects.toThrow(/409.*system_assistant/s);
    await expect(assistants.delete(SYSTEM_ID)).rejects.toThrow(/409.*system_assistant/s);
    await expect(assistants.setLatest(SYSTEM_ID, 2)).rejects.toThrow(/version_not_found/);
    const taken = { graphId: "agent", assistantId: SYSTEM_ID, context: { mode: "never" } };
    await expect(assistants.create(taken)).rejects.toThrow(/assistant_exists/);
    expect(await assistants.create({ ...taken, ifExists: "do_nothing" })).toMatchObject({ context: {} });
  });
});

describe("an assistant that a client saves", () => {
  const given = {
    ...{ graphId: "agent", name: "Careful", description: "Asks more." },
    ...{ metadata: { team: "blue" }, config: { tags: ["a"] }, context: { mode: "never" } },
  };

  it("is created, found and deleted", async () => {
    const { assistants } = await connected();
    const made = await assistants.create(given);
    expect(made).toMatchObject({
      ...{ graph_id: "agent", name: "Careful", description: "Asks more.", version: 1 },
      ...{ metadata: { team: "blue" }, config: { tags: ["a"] }, context: { mode: "never" } },
    });
    expect(await assistants.get(made.assistant_id)).toEqual(made);
    expect(await assistants.count({ graphId: "agent" })).toBe(2);
    await assistants.delete(made.assistant_id);
    await expect(assistants.get(made.assistant_id)).rejects.toThrow(/404.*assistant_not_found/s);
    expect(await assistants.count()).toBe(1);
  });

  it("has the id that it was given, once", async () => {
    const { assistants } = await connected();
    await expect(assistants.create({ ...given, assistantId: "mine" })).rejects.toThrow(/invalid_request/);
    const made = await assistants.create({ graphId: "agent", assistantId: NOWHERE });
    expect(made).toMatchObject({ assistant_id: NOWHERE, name: "agent" });
    await expect(assistants.create({ ...given, assistantId: NOWHERE })).rejects.toThrow(/assistant_exists/);
    const same = await assistants.create({ ...given, assistantId: NOWHERE, ifExists: "do_nothing" });
    expect(same).toEqual(made);
  });

  it("gets a version with each change, and an older one can count again", async () => {
    const { assistants, restart } = await connected();
    const { assistant_id } = await assistants.create(given);
    const second = await assistants.update(assistant_id, { metadata: { tier: 1 }, context: {} });
    expect(second).toMatchObject({
      ...{ version: 2, name: "Careful", config: { tags: ["a"] } },
      ...{ context: {}, metadata: { team: "blue", tier: 1 } },
    });
    expect(await assistants.setLatest(assistant_id, 1)).toMatchObject({
      ...{ version: 1, context: { mode: "never" }, metadata: { team: "blue" } },
    });
    const third = await assistants.update(assistant_id, { name: "Third" });
    expect(third).toMatchObject({ version: 3, name: "Third", context: { mode: "never" } });
    const versions = await assistants.getVersions(assistant_id);
    expect(versions.map(({ version, name }) => [version, name])).toEqual([
      [3, "Third"],
      [2, "Careful"],
      [1, "Careful"],
    ]);
    const tiered = await assistants.getVersions(assistant_id, { metadata: { tier: 1 }, limit: 1 });
    expect(tiered.map(({ version }) => version)).toEqual([2]);
    await expect(assistants.setLatest(assistant_id, 9)).rejects.toThrow(/404.*version_not_found/s);
    const { url } = await restart();
    const later = new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } });
    expect(await later.assistants.get(assistant_id)).toEqual(third);
  });

  it("takes its threads along when it is deleted with them, and only then", async () => {
    const { client, assistants } = await connected();
    const { assistant_id } = await assistants.create(given);
    const mine = await client.threads.create({ metadata: { assistant_id } });
    const other = await client.threads.create();
    await assistants.delete(assistant_id, { deleteThreads: true });
    await expect(client.threads.get(mine.thread_id)).rejects.toThrow(/thread_not_found/);
    expect((await client.threads.get(other.thread_id)).thread_id).toBe(other.thread_id);
    const second = await assistants.create(given);
    const kept = await client.threads.create({ metadata: { assistant_id: second.assistant_id } });
    await assistants.delete(second.assistant_id);
    expect((await client.threads.get(kept.thread_id)).thread_id).toBe(kept.thread_id);
  });

  const refusals: [string, Record<string, unknown>, number, string][] = [
    ["a graph that is not here", { graph_id: "nobody" }, 404, "graph_not_found"],
    ["a context that is no object", { context: "never" }, 422, "invalid_request"],
    ["a context that no checkpoint can hold", { context: UNSTORABLE }, 422, "invalid_request"],
    ["a mode that is none", { context: { mode: "always" } }, 422, "invalid_policy"],
    ["a policy with an unknown key", { context: { policy: { deafult: "deny" } } }, 422, "invalid_policy"],
  ];
  it.each(refusals)("is refused with %s, and not changed to it", async (_name, change, status, code) => {
    const { post, url, assistants } = await connected();
    const refused = await post("/assistants", { graph_id: "agent", ...change });
    expect(refused).toMatchObject({ status, body: { code } });
    const made = await assistants.create(given);
    const patch = await fetch(`${url}/assistants/${made.assistant_id}`, {
      ...{ method: "PATCH", body: JSON.stringify(change), headers: { "content-type": "application/json" } },
    });
    expect(patch.status).toBe(status);
    expect(await assistants.get(made.assistant_id)).toEqual(made);
  });

  it("is told where in its policy the fault is", async () => {
    const { post } = await connected();
    const policy = { rules: [{ id: "a", tools: ["*"], tier: "ask" }] };
    const { body } = await post("/assistants", { graph_id: "agent", context: { policy } });
    expect(body).toMatchObject({ errors: [{ path: "context.policy.rules[0].tier" }] });
    expect(textOf(body["detail"])).toContain("context.policy.rules[0].tier");
  });
});

describe("a search of assistants", () => {
  async function filled() {
    const server = await connected();
    const made = ["Beta", "alpha", "Gamma"].map((name) => ({ graphId: "agent", name, metadata: { name } }));
    for (const one of made) await server.assistants.create(one);
    return server;
  }

  it("filters by a part of the name, by metadata and by graph", async () => {
    const { assistants } = await filled();
    const names = async (query: { name?: string; metadata?: Metadata; graphId?: string }) =>
      (await assistants.search(query)).map(({ name }) => name);
    expect(await names({ name: "ALPH" })).toEqual(["alpha"]);
    expect(await names({ metadata: { name: "Beta" } })).toEqual(["Beta"]);
    expect(await names({ graphId: "other" })).toEqual([]);
    expect(await assistants.count({ name: "a", graphId: "agent" })).toBe(4);
    expect(await assistants.count({ metadata: { name: "Beta" } })).toBe(1);
  });

  it("sorts, selects and gives pages", async () => {
    const { assistants, post } = await filled();
    const sort = { sortBy: "name", sortOrder: "asc", includePagination: true } as const;
    const query = { ...sort, select: ["name" as const] };
    const first = await assistants.search({ ...query, limit: 3 });
    expect(first).toEqual({
      assistants: [{ name: "Beta" }, { name: "Gamma" }, { name: "agent" }],
      next: "3",
    });
    const last = await assistants.search({ ...query, offset: 3 });
    expect(last).toEqual({ assistants: [{ name: "alpha" }], next: null });
    const { headers } = await post("/assistants/search", { limit: 1 });
    expect(headers.get("x-pagination-total")).toBe("4");
    expect((await post("/assistants/search", { sort_by: "colour" })).status).toBe(422);
  });

  it("may be sent as text, as LangGraph Studio does; nothing else may", async () => {
    const { post } = await filled();
    const text = { "content-type": "text/plain;charset=UTF-8" };
    const found = await post("/assistants/search", { name: "beta", limit: 1000 }, text);
    expect(found).toMatchObject({ status: 200, body: [{ name: "Beta" }] });
    expect((await post("/assistants/search", "{", text)).body).toMatchObject({ code: "invalid_json" });
    const deep = `{"metadata":${'{"a":'.repeat(100)}1${"}".repeat(101)}`;
    expect((await post("/assistants/search", deep, text)).status).toBe(422);
    const large = JSON.stringify({ name: "x".repeat(1024 * 1024) });
    expect((await post("/assistants/search", large, text)).status).toBe(413);
    expect((await post("/assistants", { graph_id: "agent" }, text)).status).toBe(415);
    expect((await post("/assistants/count", {}, text)).status).toBe(415);
  });
});
