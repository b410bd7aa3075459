import { describe, expect, it } from "vitest";
import { postgresUrl } from "../setup/postgres.ts";
import { bench, listOf, remove, textOf, until } from "./bench.ts";

const url = postgresUrl();

describe.skipIf(url === undefined)("a server on PostgreSQL", () => {
  it("asks, keeps the question over a restart, and acts on the decision", async () => {
    const first = await bench([remove("a", "b"), { content: "done" }], { store: url! });
    const { thread_id } = await first.begin();
    const before = await first.pending();
    const { pending, post, get, effects } = await first.restart();
    expect(await pending()).toEqual(before);
    const [a, b] = before;
    await post(`/approvals/${a!.approval_id}/decision?wait=10`, { type: "approve" });
    await post(`/approvals/${b!.approval_id}/decision?wait=10`, { type: "reject" });
    const { body } = await get(`/threads/${thread_id}`);
    expect(body["status"]).toBe("idle");
    expect(listOf(body["values"]?.["messages"])).toHaveLength(5);
    expect(effects.deleted).toEqual(["a"]);
    expect((await get("/audit/verify")).body["ok"]).toBe(true);
    expect((await post("/threads/search", { metadata: { graph_id: "agent" } })).body).toHaveLength(1);
  });

  it("shares the store with another one, which takes a decision for it", async () => {
    const one = await bench([remove("c"), { content: "done" }], { store: url! });
    const other = await bench([], { store: url!, effects: one.effects });
    let finish = (): void => undefined;
    one.effects.gate = new Promise((resolve) => (finish = resolve));
    const { thread_id } = await one.begin();
    const [approval] = await other.pending(thread_id);
    await one.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    const late = await other.post(`/approvals/${approval!.approval_id}/decision`, { type: "reject" });
    expect(late).toMatchObject({ status: 409, body: { code: "already_decided" } });
    await until(() => one.effects.begun === 1);
    expect((await other.get(`/threads/${thread_id}`)).body["status"]).toBe("busy");
    finish();
    await until(async () => textOf((await other.get(`/threads/${thread_id}`)).body["status"]) === "idle");
    expect(one.effects.deleted).toEqual(["c"]);
    expect(one.errors.concat(other.errors)).toEqual([]);
  });
});
