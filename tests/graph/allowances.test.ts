import { describe, expect, it } from "vitest";
import { announceHost } from "../../src/graph/index.ts";
import type { PolicyInput } from "../../src/policy/index.ts";
import { postgresUrl } from "../setup/postgres.ts";
import { bench, call, results, type Bench, type BenchOptions } from "./harness.ts";
import { inMemory, onPostgresAt, sqliteFiles, type OpenStores } from "./stores.ts";

const sqlite = sqliteFiles();
const postgres = postgresUrl();
const places: [string, () => OpenStores][] = [
  ["in memory", inMemory],
  ["on SQLite", sqlite],
];
if (postgres)
  places.push(["on PostgreSQL", () => onPostgresAt(`${postgres}?schema=allowances_${(schemas += 1)}`)]);
let schemas = 0;

const small = { id: "small", tools: ["pay"], sum: "amount", upTo: 100, per: "1d" };
const policy = (more: Partial<PolicyInput> = {}): PolicyInput => ({
  version: 1,
  allowances: [small],
  ...more,
});

/** A model that pays one amount in each turn of the user's. */
function paying(...amounts: unknown[]) {
  return amounts.flatMap((amount, index) => [
    { tool_calls: [call("pay", { to: "ann", amount }, `c${index}`)] },
    { content: `done ${index}` },
  ]);
}

async function asksFor(one: Bench): Promise<boolean> {
  const state = await one.ask("go");
  return (state.__interrupt__ ?? []).length > 0;
}

async function taken(one: Bench): Promise<number[]> {
  const events = await one.ledger.events({});
  return events
    .flatMap(({ type, data }) =>
      type === "approval_requested" ? (data.takes ?? []).filter(({ meter }) => meter !== "asksPerRun") : [],
    )
    .map(({ amount }) => amount);
}

describe.each(places)("an allowance %s", (_name, place) => {
  const open = (amounts: unknown[], options: BenchOptions = {}) =>
    bench(paying(...amounts), { stores: place(), policy: policy(), ...options });

  it("lets calls run as long as their sum fits, and its row names it", async () => {
    const one = await open([60, 40, 1]);
    expect([await asksFor(one), await asksFor(one), await asksFor(one)]).toEqual([false, false, true]);
    expect(one.effects.paid.map(({ amount }) => amount)).toEqual([60, 40]);
    const [first, , third] = await one.approvals();
    expect(first).toMatchObject({
      ...{ status: "approved", asked_by: "none", execution: { state: "succeeded" } },
      decision: { type: "approve", decided_by: { kind: "allowance", id: "small" } },
    });
    expect(third).toMatchObject({ status: "pending", asked_by: "interrupt" });
    expect(await one.ledger.verify()).toMatchObject({ ok: true });
  });

  it("asks for what does not fit, and lets a smaller one run after it", async () => {
    const one = await open([60, 41, 40]);
    expect([await asksFor(one), await asksFor(one)]).toEqual([false, true]);
    await one.resume({ type: "reject" });
    expect(await asksFor(one)).toBe(false);
  });

  it("has room again when its window has moved on", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    const one = await open([100, 1, 99, 2], { clock: () => now });
    expect(await asksFor(one)).toBe(false);
    now += 86_400_000 - 1;
    expect(await asksFor(one)).toBe(true);
    // What a person approves takes nothing.
    await one.resume({ type: "approve" });
    now += 1;
    expect([await asksFor(one), await asksFor(one)]).toEqual([false, true]);
  });

  it("counts on after a restart", async () => {
    const one = await open([60, 60]);
    expect(await asksFor(one)).toBe(false);
    const again = await one.reopened();
    expect((await again.ask("go")).__interrupt__).toHaveLength(1);
  });

  it("gives back what a call would have taken that failed", async () => {
    const one = await open([100, 100, 100]);
    one.effects.paid.push = () => {
      throw new Error("no");
    };
    expect(await asksFor(one)).toBe(false);
    delete (one.effects.paid as { push?: unknown }).push;
    expect([await asksFor(one), await asksFor(one)]).toEqual([false, true]);
  });

  it("is never overdrawn by calls at once", async () => {
    const opened = place()();
    const stores = () => opened;
    const everyone = policy({ allowances: [{ ...small, by: "everyone" }] });
    const turn = {
      tool_calls: Array.from({ length: 5 }, (_, n) => call("pay", { to: "ann", amount: 7 + n }, `c${n}`)),
    };
    const all = await Promise.all(
      Array.from({ length: 10 }, () => bench([turn, { content: "done" }], { stores, policy: everyone })),
    );
    await Promise.all(all.map((one) => one.ask("go")));
    const sum = all.flatMap((one) => one.effects.paid).reduce((total, { amount }) => total + amount, 0);
    expect(sum).toBeLessThanOrEqual(100);
    // Each call that is asked about would have gone beyond.
    expect(sum).toBeGreaterThan(100 - 7 - 4);
  });
});

describe("an allowance", () => {
  const open = (amounts: unknown[], options: BenchOptions = {}) =>
    bench(paying(...amounts), { policy: policy(), ...options });

  it("counts its own thread alone, or everyone's together", async () => {
    for (const by of ["thread", "everyone"] as const) {
      const stores = inMemory();
      const given = { stores, policy: policy({ allowances: [{ ...small, by }] }) };
      expect(await asksFor(await bench(paying(60), given))).toBe(false);
      expect(await asksFor(await bench(paying(60), given))).toBe(by === "everyone");
    }
  });

  it("for a user counts each user's own, and asks where nobody knows who it is", async () => {
    const stores = inMemory();
    const given = { stores, policy: policy({ allowances: [{ ...small, by: "user" }] }) };
    expect(await asksFor(await bench(paying(1), given))).toBe(true);
    const { ledger } = await stores();
    const asUser = async (requested_by: string, amount: number) => {
      announceHost(() => ({ ledger, requested_by }));
      try {
        return await asksFor(await bench(paying(amount), given));
      } finally {
        announceHost(() => undefined);
      }
    };
    expect(await asUser("ann", 100)).toBe(false);
    expect(await asUser("ann", 1)).toBe(true);
    expect(await asUser("bob", 100)).toBe(false);
  });

  it("wants room in all that name the tool, and takes from each", async () => {
    const monthly = { id: "monthly", tools: ["pay"], sum: "amount", upTo: 70, per: "30d" };
    const one = await open([60, 40], { policy: policy({ allowances: [small, monthly] }) });
    expect([await asksFor(one), await asksFor(one)]).toEqual([false, true]);
    expect(await taken(one)).toEqual([60, 60]);
    const [first] = await one.approvals();
    expect(first?.decision).toMatchObject({ decided_by: { id: "small, monthly" } });
  });

  it("says nothing of other tools", async () => {
    const one = await bench([{ tool_calls: [call("delete_file", { path: "a" }, "c1")] }], {
      policy: policy(),
    });
    expect(await asksFor(one)).toBe(true);
  });

  it.each([
    [
      "a rule that remembers nothing",
      { rules: [{ id: "r", tools: ["pay"], tier: "approve" as const, review: { remember: false } }] },
    ],
    ["two people", { review: { quorum: 2 } }],
    ["separate duties", { review: { separateDuties: true } }],
    ["people of a group", { review: { by: ["g"] }, groups: { g: ["u"] } }],
  ])("does not decide where policy wants %s", async (_, more) => {
    expect(await asksFor(await open([1], { policy: policy(more) }))).toBe(true);
  });

  it.each(["never", "fail_closed"] as const)("does not decide in the mode %s", async (mode) => {
    const one = await open([1], { policy: policy({ mode }) });
    await one.ask("go").catch(() => undefined);
    expect(one.effects.paid).toEqual([]);
  });

  it("does not decide what a rule denies, nor what the context of a run says no to", async () => {
    const denied = await open([1], {
      policy: policy({ rules: [{ id: "d", tools: ["pay"], tier: "deny" }] }),
    });
    expect(results(await denied.ask("go"))["c0"]).toMatchObject({ artifact: { outcome: "denied" } });
    const strict = await open([1]);
    const context = { policy: { review: { remember: false } } };
    expect((await strict.ask("go", { context })).__interrupt__).toHaveLength(1);
  });

  it("does not decide the same call after a person rejected it, also where policy asks again", async () => {
    const asking = {
      rules: [{ id: "r", tools: ["pay"], tier: "approve" as const, review: { remember: false } }],
    };
    for (const afterReject of ["reject", "ask"] as const) {
      const stores = inMemory();
      const fatigue = { repeat: { afterReject } };
      const one = await bench(paying(5), { stores, policy: policy({ ...asking, fatigue }) });
      expect(await asksFor(one)).toBe(true);
      await one.resume({ type: "reject" });
      const { thread_id } = one.config.configurable;
      const two = await bench(paying(5, 5), { stores, thread_id, policy: policy({ fatigue }) });
      expect(await asksFor(two)).toBe(afterReject === "ask");
      expect(two.effects.paid).toEqual([]);
    }
  });

  it("does not decide the next round of a call that a person edited", async () => {
    const rules = [{ id: "big", tools: ["pay"], tier: "approve" as const, when: { amount: { gt: 10 } } }];
    const one = await bench(paying(200), {
      policy: policy({
        allowances: [{ ...small, upTo: 150 }],
        rules: [...rules, { id: "bob", tools: ["pay"], tier: "approve", when: { to: { equals: "bob" } } }],
      }),
    });
    expect(await asksFor(one)).toBe(true);
    const state = await one.resume({ type: "edit", args: { to: "bob", amount: 20 } });
    expect(state.__interrupt__).toHaveLength(1);
    expect(one.effects.paid).toEqual([]);
  });
});
