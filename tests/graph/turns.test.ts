import { describe, expect, it } from "vitest";
import { postgresUrl } from "../setup/postgres.ts";
import {
  bench,
  call,
  question,
  remove,
  results,
  type Bench,
  type BenchOptions,
  type State,
} from "./harness.ts";
import { inMemory, onPostgresAt, sqliteFiles, type OpenStores } from "./stores.ts";

const sqlite = sqliteFiles();
const postgres = postgresUrl();

const calls = [
  remove("a.md", "c1"),
  call("read_file", { path: "r.md" }, "c2"),
  call("pay", { to: "x", amount: 5 }, "c3"),
  call("wipe", { path: "/" }, "c4"),
  call("note", { text: "n" }, "c5"),
  remove("b.md", "c6"),
];
const steps = [{ tool_calls: calls }, { content: "done" }];
const ids = calls.map(({ id }) => id);

function toolIds({ messages }: State): (string | undefined)[] {
  return messages.filter(({ type }) => type === "tool").map(({ tool_call_id }) => tool_call_id);
}

function expectOutcomes(state: State): void {
  expect(state.messages.map(({ type }) => type)).toEqual([
    "human",
    "ai",
    ...Array<string>(6).fill("tool"),
    "ai",
  ]);
  expect(toolIds(state)).toEqual(ids);
  const outcomes = ids.map((id) => (results(state)[id ?? ""]?.artifact as { outcome: string }).outcome);
  expect(outcomes).toEqual(["done", "done", "done", "denied", "done", "rejected"]);
  expect(results(state)["c3"]?.content).toMatch(/^paid 2 to x\n\n\(A reviewer changed this call/);
}

async function reloaded(one: Bench): Promise<State> {
  const again = await one.reopened();
  return (await again.graph.getState(again.config as never)).values as State;
}

const places: [string, () => OpenStores][] = [
  ["in memory", inMemory],
  ["on SQLite", sqlite],
];
if (postgres !== undefined) {
  const open = onPostgresAt(postgres);
  places.push(["on PostgreSQL", () => open]);
}

describe.each(places)("a turn of six calls %s", (_name, place) => {
  it("gives each call its own outcome, in the order of the calls", async () => {
    const one = await bench(steps, { stores: place() });
    const before = await one.ask("all of it");
    expect(before.__interrupt__).toHaveLength(3);
    expect(one.effects).toEqual({ deleted: [], read: ["r.md"], noted: ["n"], wiped: [], paid: [] });
    const [c1, c3, c6] = ["c1", "c3", "c6"].map((id) => question(before, id).id) as [string, string, string];
    const state = await one.resume({
      [c6]: { type: "reject" },
      [c3]: { type: "edit", args: { to: "x", amount: "2" } },
      [c1]: { type: "approve" },
    });
    expect(one.effects).toEqual({
      deleted: ["a.md"],
      read: ["r.md"],
      noted: ["n"],
      wiped: [],
      paid: [{ to: "x", amount: 2 }],
    });
    expectOutcomes(state);
    expectOutcomes(await reloaded(one));
  });

  it("does so when the decisions come one by one, each to new objects over the same store", async () => {
    let one = await bench(steps, { stores: place() });
    const before = await one.ask("all of it");
    const answers: [string, unknown][] = [
      ["c6", { type: "reject" }],
      ["c1", { type: "approve" }],
      ["c3", { type: "edit", args: { to: "x", amount: 2 } }],
    ];
    let state = before;
    for (const [id, answer] of answers) {
      one = await one.reopened();
      state = await one.resume({ [question(before, id).value.approval.approval_id]: answer });
    }
    expect(one.effects).toMatchObject({ deleted: ["a.md"], read: ["r.md"], noted: ["n"], wiped: [] });
    expectOutcomes(state);
    expectOutcomes(await reloaded(one));
  });

  it("asks one question after the other when policy says so", async () => {
    const policy: NonNullable<BenchOptions["policy"]> = { version: 1, review: { ask: "one-by-one" } };
    let one = await bench(steps, { stores: place(), policy });
    const first = await one.ask("all of it");
    expect(first.__interrupt__?.map(({ value }) => value.approval.tool_call_id)).toEqual(["c1"]);
    expect(one.effects).toMatchObject({ deleted: [], read: ["r.md"], noted: ["n"] });
    one = await one.reopened();
    const second = await one.resume({ type: "approve" });
    expect(second.__interrupt__?.map(({ value }) => value.approval.tool_call_id)).toEqual(["c3"]);
    const third = await one.resume([
      { type: "edit", args: { action: "pay", args: { to: "x", amount: "2" } } },
    ]);
    expect(third.__interrupt__?.map(({ value }) => value.approval.tool_call_id)).toEqual(["c6"]);
    const state = await one.resume({ decisions: [{ type: "reject" }] });
    expect(one.effects).toMatchObject({
      deleted: ["a.md"],
      read: ["r.md"],
      noted: ["n"],
      paid: [{ to: "x", amount: 2 }],
    });
    expectOutcomes(state);
    expectOutcomes(await reloaded(one));
  });
});

describe("one turn", () => {
  it("asks about each of two equal calls", async () => {
    const one = await bench([
      { tool_calls: [remove("a.md", "c1"), remove("a.md", "c2")] },
      { content: "done" },
    ]);
    const before = await one.ask("twice");
    expect(before.__interrupt__).toHaveLength(2);
    await one.resume({ [question(before, "c2").id]: { type: "approve" } });
    expect(one.effects.deleted).toEqual(["a.md"]);
    expect((await one.pending()).map(({ tool_call_id }) => tool_call_id)).toEqual(["c1"]);
  });

  it("asks again about a call id that comes back in a later turn", async () => {
    const again = { tool_calls: [remove("a.md", "c1")] };
    const one = await bench([again, again, { content: "done" }]);
    await one.ask("delete it");
    await one.resume({ type: "approve" });
    expect(one.effects.deleted).toEqual(["a.md"]);
    const [first, second] = await one.approvals();
    expect(second).toMatchObject({ status: "pending" });
    expect(second?.approval_id).not.toBe(first?.approval_id);
    const state = await one.resume({ type: "reject" });
    expect(one.effects.deleted).toEqual(["a.md"]);
    expect(state.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai", "tool", "ai"]);
  });

  it("prints no warning with thirty questions and thirty readings", async () => {
    const many = Array.from({ length: 30 }, (_, n) => [
      remove(`${n}.md`, `d${n}`),
      call("read_file", { path: `${n}.md` }, `r${n}`),
    ]).flat();
    const one = await bench([{ tool_calls: many }, { content: "done" }]);
    const before = await one.ask("all of it", { signal: new AbortController().signal });
    expect(before.__interrupt__).toHaveLength(30);
    const answers = before.__interrupt__?.map(({ id }) => [id, { type: "approve" }]) ?? [];
    await one.resume(Object.fromEntries(answers), { signal: new AbortController().signal });
    expect(one.effects.deleted).toHaveLength(30);
    expect(one.effects.read).toHaveLength(30);
  });
});
