import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import type { Step } from "../../src/models/index.ts";
import { postgresUrl } from "../setup/postgres.ts";
import { call, remove } from "./bench.ts";
import { foreign } from "./foreign.ts";
import { served, user, type Values } from "./thread-bench.ts";

const postgres = postgresUrl();
const stores = [
  ["SQLite", {}],
  ...(postgres === undefined ? [] : [["PostgreSQL", { store: postgres }] as const]),
] as const;

/** Numbers from 0 to below `end` that follow from a seed, so that a failure comes again. */
function chance(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * end);
  };
}

/** A model that answers at once, reads first, or asks to delete, by turns of chance. */
function script(length: number, pick: (end: number) => number): Step[] {
  return Array.from({ length }, (_, n): Step => {
    const kind = n === length - 1 ? 0 : pick(4);
    if (kind === 1) return { tool_calls: [call("read_file", { path: `r${n}` }, `c_${n}`)] };
    if (kind === 2) return remove(`d${n}`, `e${n}`);
    return { content: `answer ${n}` };
  });
}

const prune = { strategy: "keep_latest" } as const;
const plain = ({ messages = [] }: Partial<Values>) =>
  messages.map(({ type, content, tool_call_id, status }) => ({ type, content, tool_call_id, status }));

describe.each(stores)("pruning to the newest state on %s", (_, store) => {
  it.each([1, 2])(
    "loses no message, question or item, whenever it comes in a long conversation (seed %i)",
    async (seed) => {
      const pick = chance(seed);
      const steps = script(14, pick);
      const { client, state, pending, post, effects } = await served(steps, store);
      const { thread_id } = await client.threads.create();
      await client.store.putItem(["notes", String(seed)], "kept", { text: "an item" });
      let prunes = 0;
      const pruned = async (expected: number): Promise<void> => {
        const before = await state(thread_id);
        const asked = await pending(thread_id);
        expect(await client.threads.prune([thread_id], prune)).toEqual({ pruned_count: expected });
        const after = await state(thread_id);
        expect(after.values).toEqual(before.values);
        expect(after.next).toEqual(before.next);
        expect(after.tasks.flatMap(({ interrupts }) => interrupts)).toEqual(
          before.tasks.flatMap(({ interrupts }) => interrupts),
        );
        expect(await pending(thread_id)).toEqual(asked);
        prunes += expected;
      };
      const said: string[] = [];
      for (let turn = 0; ; turn += 1) {
        const answered = plain((await state(thread_id)).values);
        if (answered.filter(({ type }) => type === "ai").length >= steps.length) break;
        await client.runs.wait(thread_id, "agent", { input: user(`say ${turn}`) });
        said.push(`say ${turn}`);
        for (;;) {
          const open = await pending(thread_id);
          const [first] = open;
          if (first === undefined) break;
          if (pick(2) === 0) await pruned(0);
          const type = pick(2) === 0 ? "approve" : "reject";
          await post(`/approvals/${first.approval_id}/decision?wait=20`, { type });
        }
        if (pick(2) === 0) await pruned(1);
      }
      await pruned(1);
      const messages = plain((await state(thread_id)).values);
      expect(messages.filter(({ type }) => type === "human").map(({ content }) => content)).toEqual(said);
      const calls = steps.flatMap((step) => (typeof step === "function" ? [] : (step.tool_calls ?? [])));
      expect(messages.filter(({ type }) => type === "tool").map((one) => one.tool_call_id)).toEqual(
        calls.map(({ id }) => id),
      );
      expect(messages.filter(({ type }) => type === "ai")).toHaveLength(steps.length);
      expect(new Set(effects.deleted).size).toBe(effects.deleted.length);
      expect(prunes).toBeGreaterThan(1);
      expect((await client.store.getItem(["notes", String(seed)], "kept"))?.value).toEqual({
        text: "an item",
      });
    },
    30_000,
  );

  it("keeps 200 turns, and the next one follows upon them", async () => {
    const { client, state } = await served(
      [...Array<Step>(200).fill({ content: "x" }), { content: "new" }],
      store,
    );
    const supersteps = Array.from({ length: 200 }, (_, n) => {
      const messages = [
        { type: "human", content: `say ${n}` },
        { type: "ai", content: `${n}` },
      ];
      return { updates: [{ values: { messages }, asNode: "agent" }] };
    });
    const { thread_id } = await client.threads.create({ graphId: "agent", supersteps });
    const before = (await state(thread_id)).values;
    expect(before.messages).toHaveLength(400);
    expect(await client.threads.prune([thread_id], prune)).toEqual({ pruned_count: 1 });
    expect(await client.threads.getHistory(thread_id)).toHaveLength(1);
    expect((await state(thread_id)).values).toEqual(before);
    await client.runs.wait(thread_id, "agent", { input: user("and?") });
    const { messages } = (await state(thread_id)).values;
    expect(messages.slice(0, 400)).toEqual(before.messages);
    expect(messages.slice(400).map(({ content }) => content)).toEqual(["and?", "new"]);
  }, 30_000);

  it("keeps what a subgraph keeps between its runs", async () => {
    const { client, go } = await foreign(() => counting(), store);
    const thread_id = await go({});
    const total = async () =>
      (await client.runs.wait(thread_id, "agent", { input: {} })) as unknown as { seen: number[] };
    expect((await total()).seen).toEqual([1, 2]);
    expect(await client.threads.prune([thread_id], prune)).toEqual({ pruned_count: 1 });
    expect((await total()).seen).toEqual([1, 2, 3]);
    expect(await client.threads.prune([thread_id], prune)).toEqual({ pruned_count: 1 });
    expect((await total()).seen).toEqual([1, 2, 3, 4]);
  });
});

/** A graph whose subgraph counts how often it ran, in a state of its own, which the parent sees in one number. */
function counting() {
  const Inner = Annotation.Root({
    count: Annotation<number>({ reducer: (before, more) => before + more, default: () => 0 }),
  });
  const inner = new StateGraph(Inner)
    .addNode("add", () => ({ count: 1 }))
    .addEdge(START, "add")
    .addEdge("add", END)
    .compile({ checkpointer: true });
  const Outer = Annotation.Root({
    seen: Annotation<number[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
  });
  return new StateGraph(Outer)
    .addNode("ask", async (_state, config) => {
      const { count } = await inner.invoke({ count: 0 }, config);
      return { seen: [count] };
    })
    .addEdge(START, "ask")
    .addEdge("ask", END)
    .compile();
}
