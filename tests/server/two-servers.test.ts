import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agent, bench, Effects, folder, remove } from "./bench.ts";

describe("two servers in one process", () => {
  it("keep the approvals and checkpoints of one shared graph apart", async () => {
    const effects = new Effects();
    const graph = agent(effects, [remove("a"), { content: "done" }]);
    const config = { graphs: { agent: graph } };
    const [one, two] = await Promise.all([bench([], { config, effects }), bench([], { config, effects })]);
    const begun = await Promise.all([one, two, one, two].map((server) => server.begin()));
    expect(begun.every(({ values }) => values["__interrupt__"] !== undefined)).toBe(true);
    expect(await one.pending()).toHaveLength(2);
    expect(await two.pending()).toHaveLength(2);
    const [first] = await one.pending();
    expect((await two.get(`/approvals/${first!.approval_id}`)).status).toBe(404);
    expect((await two.get(`/threads/${first!.thread_id}`)).status).toBe(404);
    await one.post(`/approvals/${first!.approval_id}/decision?wait=10`, { type: "approve" });
    expect(effects.deleted).toEqual(["a"]);
    expect(await two.pending()).toHaveLength(2);
    expect(graph.checkpointer).toBeFalsy();
  });

  it("refuse to start where one cannot be", async () => {
    const { createServer } = await import("../../src/wire.ts");
    const first = await bench([]);
    const graphs = { graphs: { agent: agent(new Effects(), []) } };
    const port = Number(new URL(first.url).port);
    const taken = await createServer({ config: graphs, store: `file:${join(folder(), "x.db")}`, port });
    await expect(taken.start()).rejects.toMatchObject({ code: "port_in_use" });
    await taken.stop();
    await expect(createServer({ config: graphs, store: "memory:" })).rejects.toMatchObject({
      code: "bad_store",
    });
    await expect(createServer({ config: graphs, store: "file:/proc/none/x.db" })).rejects.toMatchObject({
      code: "unwritable",
    });
    await expect(createServer({ config: { graphs: { a: 1 } }, store: first.store })).rejects.toMatchObject({
      code: "graph_load_failed",
    });
  });
});
