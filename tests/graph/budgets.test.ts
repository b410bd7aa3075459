import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openDesk } from "../../src/desk/index.ts";
import { createApprovalAgent, withRisk } from "../../src/graph/index.ts";
import { scriptedModel } from "../../src/models/index.ts";
import type { PolicyInput } from "../../src/policy/index.ts";
import { postgresUrl } from "../setup/postgres.ts";
import { bench, call, remove, results, type Bench, type BenchOptions, type State } from "./harness.ts";
import { noEffects, sampleTools } from "./sample-tools.ts";
import { inMemory, onPostgresAt, sqliteFiles, type OpenStores } from "./stores.ts";

const sqlite = sqliteFiles();
const postgres = postgresUrl();
let schemas = 0;
const places: [string, () => OpenStores][] = [
  ["in memory", inMemory],
  ["on SQLite", sqlite],
];
if (postgres)
  places.push(["on PostgreSQL", () => onPostgresAt(`${postgres}?schema=budgets_${(schemas += 1)}`)]);

type Budget = NonNullable<NonNullable<PolicyInput["fatigue"]>["budget"]>;

const groups = { team: ["u_1", "u_2"], leads: ["u_3", "u_4"] };

function policy(budget: Partial<Budget>, more: Partial<PolicyInput> = {}): PolicyInput {
  return { version: 1, fatigue: { budget: { asks: 2, per: "1h", by: "thread", ...budget } }, ...more };
}

/** A model that deletes one path in each turn of the user's. */
function deleting(count: number) {
  return Array.from({ length: count }, (_, n) => [
    { tool_calls: [remove(`p${n}`, `c${n}`)] },
    { content: `done ${n}` },
  ]).flat();
}

const START = Date.parse("2026-01-01T00:00:00Z");

/** Asks, and answers what is asked; what the turn came to. */
async function turn(one: Bench): Promise<State> {
  const state = await one.ask("go");
  return (state.__interrupt__ ?? []).length > 0 ? one.resume({ type: "approve" }) : state;
}

describe.each(places)("a budget of questions %s", (_name, place) => {
  const open = (count: number, given: PolicyInput, options: BenchOptions = {}) =>
    bench(deleting(count), { stores: place(), policy: given, ...options });

  it("rejects what would go beyond, and tells the model how many there were and when there is room", async () => {
    let now = START;
    const one = await open(4, policy({}), { clock: () => now });
    await turn(one);
    now += 60_000;
    await turn(one);
    const state = await one.ask("go");
    expect(state.__interrupt__).toBeUndefined();
    const { content, artifact } = results(state)["c2"] ?? {};
    expect(content).toBe(
      'Nothing was done: policy rejected this call, and nobody was asked. Reason: "2 questions were asked on this thread in the last 1h, and policy allows 2. There is room for another at 2026-01-01T01:00:00.000Z.". Do not repeat this call. Take another way, or ask the user.',
    );
    expect(artifact).toMatchObject({ outcome: "rejected", rule: "budget" });
    expect((await one.approvals()).at(-1)).toMatchObject({
      ...{ status: "rejected", asked_by: "none" },
      decision: { decided_by: { kind: "policy", id: "budget" } },
    });
    now = START + 3_600_000;
    expect((await one.ask("go")).__interrupt__).toHaveLength(1);
    expect(one.effects.deleted).toEqual(["p0", "p1"]);
  });

  it("is never gone beyond by calls at once, and counts on after a restart", async () => {
    const opened = place()();
    const stores = () => opened;
    const given = policy({ asks: 12, by: "reviewers" });
    const many = { tool_calls: Array.from({ length: 5 }, (_, n) => remove(`p${n}`, `c${n}`)) };
    const all = await Promise.all(
      Array.from({ length: 10 }, () => bench([many, { content: "done" }], { stores, policy: given })),
    );
    await Promise.all(all.map((one) => one.ask("go")));
    const pending = (await Promise.all(all.map((one) => one.pending()))).flat();
    expect(pending).toHaveLength(12);
    const later = await bench(deleting(1), { stores, policy: given });
    expect((await later.ask("go")).__interrupt__).toBeUndefined();
    expect(await later.ledger.verify()).toMatchObject({ ok: true });
  });

  it("with a digest opens a quiet question, which takes nothing of it", async () => {
    const now = START;
    const one = await open(4, policy({ over: "digest", asks: 1 }), { clock: () => now });
    await turn(one);
    for (const n of [1, 2]) {
      const state = await one.ask("go");
      expect(state.__interrupt__?.[0]?.value.approval).toMatchObject({ tool_call_id: `c${n}` });
      const [quiet] = await one.pending();
      expect(quiet).toMatchObject({ quiet_until: "2026-01-01T01:00:00.000Z", asked_by: "interrupt" });
      await one.resume({ type: "approve" });
    }
    expect(one.effects.deleted).toEqual(["p0", "p1", "p2"]);
    expect(
      (await one.events()).filter(({ type, v }) => type === "approval_requested" && v === 5),
    ).toHaveLength(2);
    expect((await one.ledger.verify()).ok).toBe(true);
  });
});

describe("a budget of questions", () => {
  const open = (count: number, given: PolicyInput, options: BenchOptions = {}) =>
    bench(deleting(count), { policy: given, ...options });

  it("that escalates puts the question to another group, which it shows, and whose word then is enough", async () => {
    const given = policy(
      { over: "escalate", asks: 1, by: "reviewers" },
      { review: { by: ["team"], escalate: ["leads"] }, groups },
    );
    const one = await open(1, given);
    await one.ask("go");
    const [first] = await one.pending();
    expect(first).toMatchObject({ by: [["team"]], reviewers: ["u_1", "u_2"] });
    expect(first).not.toHaveProperty("in_place_of");
    const two = await bench(deleting(1), { stores: async () => one, policy: given });
    await two.ask("go");
    const [escalated] = await two.pending();
    expect(escalated).toMatchObject({ by: [["leads"]], reviewers: ["u_3", "u_4"], in_place_of: [["team"]] });
    const desk = openDesk(one.ledger);
    const id = escalated?.approval_id ?? "";
    await expect(
      desk.decide(id, { type: "approve" }, { by: { kind: "user", id: "u_1" } }),
    ).rejects.toMatchObject({
      code: "forbidden",
    });
    await desk.decide(id, { type: "approve" }, { by: { kind: "user", id: "u_3" } });
    await two.goOn();
    expect(two.effects.deleted).toEqual(["p0"]);
    // The leads' own budget is used up now as well.
    const three = await bench(deleting(1), { stores: async () => one, policy: given });
    expect(results(await three.ask("go"))["c0"]).toMatchObject({ artifact: { rule: "budget" } });
  });

  it("counts only questions that people get: none that a mode, a grant or an earlier rejection settles", async () => {
    const same = Array.from({ length: 5 }, (_, n) => [
      { tool_calls: [remove("p", `c${n}`)] },
      { content: "done" },
    ]);
    const one = await bench(same.flat(), { policy: policy({ asks: 2 }) });
    await one.ask("go", { context: { mode: "never" } });
    await one.ask("go");
    await one.resume({ type: "approve", remember: { scope: "thread", match: "exact" } });
    await one.ask("go");
    await one.ask("go");
    expect(one.effects.deleted).toEqual(["p", "p", "p"]);
    const two = await bench(deleting(2), {
      ...{ stores: async () => one, policy: policy({ asks: 2 }), thread_id: "counted-anew" },
    });
    await two.ask("go");
    await two.resume({ type: "reject" });
    expect((await two.ask("go")).__interrupt__).toHaveLength(1);
  });

  it("of the base policy holds under an overlay, and so does that of the overlay", async () => {
    const one = await open(3, policy({ asks: 2 }));
    const context = { policy: { fatigue: { budget: { asks: 1, per: "1h", by: "thread" } } } };
    const looser = { policy: { fatigue: { budget: { asks: 99, per: "1h", by: "thread" } } } };
    await one.ask("go", { context: looser });
    await one.resume({ type: "approve" });
    expect((await one.ask("go", { context })).__interrupt__).toBeUndefined();
    expect((await one.ask("go", { context: looser })).__interrupt__).toHaveLength(1);
  });

  it("takes again for the next round of an edit", async () => {
    const rules = ["b", "c"].map((path) => ({
      ...{ id: path, tools: ["delete_file"], tier: "approve" as const, when: { path: { equals: path } } },
    }));
    const one = await open(1, policy({ asks: 2 }, { rules }));
    await one.ask("go");
    expect((await one.resume({ type: "edit", args: { path: "b" } })).__interrupt__).toHaveLength(1);
    const state = await one.resume({ type: "edit", args: { path: "c" } });
    expect(results(state)["c0"]).toMatchObject({ artifact: { outcome: "rejected", rule: "budget" } });
    expect((await one.approvals()).map(({ status }) => status)).toEqual(["edited", "edited", "rejected"]);
    expect(one.effects.deleted).toEqual([]);
  });

  it("has whoever is asked in process wait until there is room", async () => {
    const asked: string[] = [];
    const answer = async ({ tool_call_id }: { tool_call_id: string }) => {
      asked.push(tool_call_id);
      return { type: "approve" };
    };
    const one = await open(2, policy({ asks: 1, over: "digest", per: "1s" }), { answer, clock: () => START });
    await one.ask("go");
    const began = performance.now();
    await one.ask("go");
    expect(asked).toEqual(["c0", "c1"]);
    expect(performance.now() - began).toBeGreaterThan(900);
  });
});

describe("questions of one run", () => {
  const asks = (asksPerRun: number): PolicyInput => ({ version: 1, fatigue: { repeat: { asksPerRun } } });
  /** A run that asks in each of its turns, and never says that it is done before the last. */
  const going = (turns: number) => [
    ...Array.from({ length: turns }, (_, n) => ({ tool_calls: [remove(`p${n}`, `c${n}`)] })),
    { content: "I deleted what I may." },
  ];

  it.each(places)(
    "are counted through its resumes %s, and the model is told to stop",
    async (_name, place) => {
      const one = await bench(going(3), { stores: place(), policy: asks(2) });
      await one.ask("go");
      await one.resume({ type: "approve" }, { configurable: { run_id: "another" } });
      const again = await one.reopened();
      const state = await again.resume({ type: "approve" }, { configurable: { run_id: "a-third" } });
      expect(state.__interrupt__).toBeUndefined();
      expect(state.messages.at(-1)?.content).toBe("I deleted what I may.");
      expect(results(state)["c2"]).toMatchObject({ artifact: { outcome: "rejected", rule: "asksPerRun" } });
      expect(results(state)["c2"]?.content).toMatch(/tell the user what is done and what is not/);
      expect(one.effects.deleted).toEqual(["p0", "p1"]);
    },
  );

  it("begin anew with the user's next message", async () => {
    const one = await bench([...going(1), ...going(1)], { policy: asks(1) });
    await turn(one);
    expect((await one.ask("go on")).__interrupt__).toHaveLength(1);
  });

  it("end it when the model goes on all the same, and the thread is usable afterwards", async () => {
    const steps = [...going(3).slice(0, 3), { content: "hello again" }];
    const one = await bench(steps, { stores: sqlite(), policy: asks(1) });
    await one.ask("go");
    await expect(one.resume({ type: "approve" })).rejects.toMatchObject({
      ...{ code: "asks_spent", tools: ["delete_file"] },
      message: expect.stringMatching(/^This run has asked as many questions as it may/) as string,
    });
    expect(one.effects.deleted).toEqual(["p0"]);
    const state = await one.ask("hello?");
    expect(state.messages.at(-1)?.content).toBe("hello again");
    expect((await one.approvals()).map(({ status }) => status)).toEqual(["approved", "rejected", "rejected"]);
  });

  it("do not end it for calls that need nobody", async () => {
    const reads = { tool_calls: [{ name: "read_file", args: { path: "r" }, id: "r1" }] };
    const one = await bench([...going(2).slice(0, 2), reads, { content: "done" }], { policy: asks(1) });
    await one.ask("go");
    expect((await one.resume({ type: "approve" })).messages.at(-1)?.content).toBe("done");
  });

  it("are no more for a message that is sent under its id again", async () => {
    const one = await bench([...going(1), ...going(1)], { policy: asks(1) });
    const say = () => {
      const messages = [{ role: "user", content: "go", id: "m1" }];
      return one.graph.invoke({ messages }, one.config as never) as Promise<unknown>;
    };
    expect(await say()).toHaveProperty("__interrupt__");
    await one.resume({ type: "approve" });
    expect(await say()).not.toHaveProperty("__interrupt__");
    expect((await one.approvals()).at(-1)?.decision?.decided_by).toEqual({
      kind: "policy",
      id: "asksPerRun",
    });
  });

  it("also count those of an agent that is called as a tool, however often it is called", async () => {
    const stores = inMemory();
    const { ledger } = await stores();
    const effects = noEffects();
    const inner = createApprovalAgent({
      model: scriptedModel([{ tool_calls: [remove("deep", "i1")] }, { content: "inner done" }]),
      ...{ tools: sampleTools(effects), ledger, policy: asks(1) },
    });
    const helper = tool(
      async ({ n }) => {
        const said = [{ role: "user", content: `the ${n}th time` }];
        const state = (await inner.invoke({ messages: said })) as unknown as State;
        return String(state.messages.at(-1)?.content);
      },
      { name: "helper", description: "Helps.", schema: z.object({ n: z.number() }) },
    );
    const steps = [1, 2].map((n) => ({ tool_calls: [call("helper", { n }, `h${n}`)] }));
    const tools = [withRisk(helper, "auto")];
    const outer = await bench([...steps, { content: "done" }, ...steps.slice(1)], { stores, tools });
    await outer.ask("go");
    await outer.resume({ type: "approve" });
    expect((await outer.approvals()).map(({ decision }) => decision?.decided_by)).toMatchObject([
      { kind: "user" },
      { kind: "policy", id: "asksPerRun" },
    ]);
    expect(effects.deleted).toEqual(["deep"]);
    // With the user's next message it may ask again.
    expect((await outer.ask("again")).__interrupt__).toHaveLength(1);
  });
});
