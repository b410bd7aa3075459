import { describe, expect, it } from "vitest";
import { Recording } from "./recording.ts";

const recording = new Recording("assistants");
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe("the published client's assistants", () => {
  it("are created, found, changed, counted, taken back to a version and deleted", async () => {
    const { client } = await recording.connected([]);
    const { assistants } = client;
    const made = await assistants.create({
      ...{ graphId: "agent", name: "Careful", description: "Asks more.", ifExists: "raise" },
      ...{ metadata: { team: "blue" }, config: { tags: ["a"] }, context: { mode: "never" } },
    });
    expect(made).toEqual({
      ...{ assistant_id: expect.stringMatching(uuid) as string, graph_id: "agent", version: 1 },
      ...{ name: "Careful", description: "Asks more.", metadata: { team: "blue" } },
      ...{ config: { tags: ["a"] }, context: { mode: "never" } },
      ...{ created_at: expect.any(String) as string, updated_at: expect.any(String) as string },
    });
    const { assistant_id } = made;
    expect(await assistants.get(assistant_id)).toEqual(made);
    const changed = await assistants.update(assistant_id, { name: "Calm", metadata: { tier: 1 } });
    expect(changed).toMatchObject({ version: 2, name: "Calm", metadata: { team: "blue", tier: 1 } });
    const versions = await assistants.getVersions(assistant_id, { limit: 5, offset: 0 });
    expect(versions.map(({ version, name }) => [version, name])).toEqual([
      [2, "Calm"],
      [1, "Careful"],
    ]);
    expect(await assistants.setLatest(assistant_id, 1)).toMatchObject({ version: 1, name: "Careful" });
    expect(await assistants.count({ graphId: "agent", metadata: { team: "blue" } })).toBe(1);
    await assistants.delete(assistant_id, { deleteThreads: true });
    expect(await assistants.count()).toBe(1);
  });

  it("are searched as a list, and page by page", async () => {
    const { client } = await recording.connected([]);
    const { assistants } = client;
    for (const name of ["b", "a", "c"]) await assistants.create({ graphId: "agent", name });
    const sorted = { sortBy: "name", sortOrder: "asc" } as const;
    const found = await assistants.search({ ...sorted, graphId: "agent", select: ["name"] });
    expect(found.map(({ name }) => name)).toEqual(["a", "agent", "b", "c"]);
    expect(Object.keys(found[0]!)).toEqual(["name"]);
    const page = await assistants.search({ ...sorted, limit: 3, includePagination: true });
    expect(page.assistants.map(({ name }) => name)).toEqual(["a", "agent", "b"]);
    expect(page.next).toBe("3");
    const rest = await assistants.search({ ...sorted, limit: 3, offset: 3, includePagination: true });
    expect(rest).toMatchObject({ assistants: [{ name: "c" }], next: null });
  });

  it("are drawn, and described by schemas", async () => {
    const { client } = await recording.connected([]);
    const { assistants } = client;
    const { nodes, edges } = await assistants.getGraph("agent", { xray: true });
    expect(nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(["__start__", "agent", "tools"]));
    expect(edges).toContainEqual(expect.objectContaining({ source: "__start__", target: "agent" }));
    const schemas = await assistants.getSchemas("agent");
    expect(schemas).toMatchObject({ graph_id: "agent", input_schema: { type: "object" } });
    expect(await assistants.getSubgraphs("agent", { recurse: true })).toEqual({});
    expect(await assistants.getSubgraphs("agent", { namespace: "tools" })).toEqual({});
  });

  it("are all asked for here: no method is left out", () => {
    expect(recording.missed()).toEqual([]);
  });
});
