import { expect, it } from "vitest";
import { agent, bench, Effects, listOf, remove, textOf, until } from "./bench.ts";

/** An agent whose graph can be taken away, as when a module that it needs has gone. */
async function fragile() {
  const effects = new Effects();
  const graph = agent(effects, [remove("a"), { content: "done" }]);
  const state = { isBroken: false };
  const make = (): typeof graph => {
    if (state.isBroken) throw new Error("The graph has gone.");
    return graph;
  };
  const one = await bench([], { config: { graphs: { agent: make } }, effects });
  const { thread_id } = await one.begin();
  const [approval] = await one.pending();
  state.isBroken = true;
  const { status, body } = await one.post(`/approvals/${approval!.approval_id}/decision`, {
    type: "approve",
  });
  return { one, state, thread_id, approval_id: approval!.approval_id, answer: { status, body } };
}

it("keeps an approval whose run cannot go on approved, not executed and visible", async () => {
  const { one, approval_id, answer } = await fragile();
  expect(answer).toMatchObject({ status: 200, body: { resumed: false, approval: { status: "approved" } } });
  expect((await one.get(`/approvals/${approval_id}`)).body).toMatchObject({
    ...{ status: "approved", execution: { state: "none" } },
  });
  expect(one.effects.deleted).toEqual([]);
  expect(one.errors).not.toEqual([]);
});

it("acts upon it when a client lets the thread go on, once", async () => {
  const { one, state, thread_id, approval_id } = await fragile();
  state.isBroken = false;
  const { body } = await one.post(`/threads/${thread_id}/runs/wait`, { assistant_id: "agent", input: null });
  expect(listOf(body["messages"]).at(-1)).toMatchObject({ content: "done" });
  expect(one.effects.deleted).toEqual(["a"]);
  expect((await one.get(`/approvals/${approval_id}`)).body).toMatchObject({
    execution: { state: "succeeded" },
  });
});

it("acts upon it by itself soon after, when the graph has come back", async () => {
  const { one, state, thread_id } = await fragile();
  state.isBroken = false;
  await until(() => one.effects.deleted.length === 1, 12_000);
  await until(async () => textOf((await one.get(`/threads/${thread_id}`)).body["status"]) === "idle");
});

it("acts upon it after a restart", async () => {
  const { one, state } = await fragile();
  state.isBroken = false;
  const next = await one.restart();
  await until(() => next.effects.deleted.length === 1);
});
