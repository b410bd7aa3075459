import { describe, expect, it } from "vitest";
import { bench, call, remove, results, type Bench, type BenchOptions } from "./harness.ts";
import { inMemory, sqliteFiles } from "./stores.ts";

const sqlite = sqliteFiles();
const places = [
  ["in memory", inMemory],
  ["on SQLite", sqlite],
] as const;

/** A model that deletes one path in each turn of the user's. */
function deleting(...paths: string[]) {
  return paths.flatMap((path, index) => [
    { tool_calls: [remove(path, `c${index}`)] },
    { content: `done ${index}` },
  ]);
}

const exact = { type: "approve", remember: { scope: "thread", match: "exact" } };

async function asksFor(one: Bench, text = "go"): Promise<boolean> {
  const state = await one.ask(text);
  return (state.__interrupt__ ?? []).length > 0;
}

describe.each(places)("a decision that is remembered %s", (_name, place) => {
  const open = (steps: Parameters<typeof bench>[0], options: BenchOptions = {}) =>
    bench(steps, { stores: place(), ...options });

  it("decides the same call again, and its row names the grant", async () => {
    const one = await open(deleting("a", "a"));
    await one.ask("go");
    await one.resume(exact);
    expect(await asksFor(one)).toBe(false);
    expect(one.effects.deleted).toEqual(["a", "a"]);
    const [first, second] = await one.approvals();
    expect(second).toMatchObject({
      ...{ status: "approved", asked_by: "none", execution: { state: "succeeded" } },
      decision: { type: "approve", decided_by: { kind: "grant", id: first?.decision?.grant_id } },
    });
  });

  it("does not decide a call with other arguments, or of another tool", async () => {
    const one = await open(deleting("a", "b"));
    await one.ask("go");
    await one.resume(exact);
    expect(await asksFor(one)).toBe(true);
    expect(one.effects.deleted).toEqual(["a"]);
  });

  it("decides every call of the tool, or those that pass a test, as the reviewer said", async () => {
    const one = await open(deleting("a", "b"));
    await one.ask("go");
    await one.resume({ type: "approve", remember: { scope: "thread", match: "tool" } });
    expect(await asksFor(one)).toBe(false);

    const steps = deleting("tmp/a", "tmp/b", "etc/c");
    const two = await open(steps);
    await two.ask("go");
    await two.resume({ type: "approve", remember: { scope: "thread", match: { path: { glob: "tmp/*" } } } });
    expect(await asksFor(two)).toBe(false);
    expect(await asksFor(two)).toBe(true);
    expect(two.effects.deleted).toEqual(["tmp/a", "tmp/b"]);
  });

  it("does not decide a call that was pending beside it", async () => {
    const turn = [{ tool_calls: [remove("a", "c1"), remove("a", "c2")] }, { content: "done" }];
    const one = await open(turn);
    await one.ask("go");
    const [first] = await one.pending();
    await one.resume({ [first?.approval_id ?? ""]: exact });
    expect(one.effects.deleted).toEqual(["a"]);
    expect(await one.pending()).toHaveLength(1);
  });

  it("does not decide in another thread, unless it is for everyone", async () => {
    const stores = place();
    const everyone = { version: 1 as const, grants: { scopes: ["thread" as const, "everyone" as const] } };
    for (const [scope, asks] of [
      ["thread", true],
      ["everyone", false],
    ] as const) {
      const one = await bench(deleting(scope), { stores, policy: everyone });
      await one.ask("go");
      await one.resume({ type: "approve", remember: { scope, match: "exact" } });
      const other = await bench(deleting(scope), { stores, policy: everyone });
      expect(await asksFor(other)).toBe(asks);
    }
  });

  it("ends with its uses, and with its time", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    const one = await open(deleting("a", "a", "a"), { clock: () => now });
    await one.ask("go");
    await one.resume({ type: "approve", remember: { scope: "thread", match: "exact", uses: 1 } });
    expect(await asksFor(one)).toBe(false);
    expect(await asksFor(one)).toBe(true);

    const two = await open(deleting("a", "a"), { clock: () => now });
    await two.ask("go");
    await two.resume({ type: "approve", remember: { scope: "thread", match: "exact", ttl: "5m" } });
    now += 5 * 60_000;
    expect(await asksFor(two)).toBe(true);
  });

  it("does not decide under a rule that remembers nothing, or one that has been added since", async () => {
    const stores = place();
    const strict = {
      version: 1 as const,
      rules: [
        { id: "careful", tools: ["delete_file"], tier: "approve" as const, review: { remember: false } },
      ],
    };
    const added = {
      version: 1 as const,
      rules: [{ id: "new", tools: ["delete_file"], tier: "approve" as const }],
    };
    for (const policy of [strict, added]) {
      const first = await bench(deleting("a", "a"), { stores });
      await first.ask("go");
      await first.resume(exact);
      const thread_id = first.config.configurable.thread_id;
      const second = await bench(deleting("a", "a"), { stores, policy, thread_id });
      expect(await asksFor(second)).toBe(true);
    }
  });

  it("is refused beyond what is offered, and the question stays", async () => {
    const one = await open(deleting("a"));
    await one.ask("go");
    for (const remember of [
      { scope: "everyone", match: "exact" },
      { scope: "user", match: "exact" },
      { scope: "thread", match: "exact", ttl: "9h" },
      { scope: "thread", match: "exact", uses: 51 },
      { scope: "thread", match: { path: { glob: "b" } } },
      { scope: "thread", match: { path: { regex: "(" } } },
      { scope: "thread", match: {} },
    ]) {
      const state = await one.resume({ type: "approve", remember });
      expect(state.__interrupt__?.[0]?.value.approval.refused, JSON.stringify(remember)).toBeTruthy();
    }
    expect(one.effects.deleted).toEqual([]);
    expect((await one.ledger.remembered.grants({ at: new Date().toISOString() })).grants).toEqual([]);
  });

  it("never holds when its call failed", async () => {
    const pay = (to: string, id: string) => ({ tool_calls: [call("pay", { to, amount: 1 }, id)] });
    const one = await open([pay("x", "c1"), { content: "1" }, pay("x", "c2"), { content: "2" }]);
    one.effects.paid.push = () => {
      throw new Error("The bank is closed.");
    };
    await one.ask("go");
    await one.resume(exact);
    expect(await asksFor(one)).toBe(true);
  });

  it("rejects as well, with the reviewer's reason", async () => {
    const one = await open(deleting("a", "b"));
    await one.ask("go");
    await one.resume({ type: "reject", message: "never", remember: { scope: "thread", match: "tool" } });
    const state = await one.ask("go");
    expect(state.__interrupt__).toBeUndefined();
    expect(results(state)["c1"]).toMatchObject({ content: expect.stringContaining("never") as string });
    expect(one.effects.deleted).toEqual([]);
  });
});

describe.each(places)("a call that was rejected %s", (_name, place) => {
  it("is not asked about again with the same arguments, and the model gets the earlier reason", async () => {
    const one = await bench(deleting("a", "a"), { stores: place() });
    await one.ask("go");
    await one.resume({ type: "reject", message: "we need it" });
    const state = await one.ask("go");
    expect(state.__interrupt__).toBeUndefined();
    expect(results(state)["c1"]).toMatchObject({
      ...{ status: "error", artifact: { outcome: "rejected" } },
      content: expect.stringContaining("we need it") as string,
    });
    expect((await one.approvals()).at(-1)).toMatchObject({ decision: { decided_by: { kind: "policy" } } });
  });

  it("is asked about with other arguments, in another thread, or where policy says so", async () => {
    const stores = place();
    const again = { version: 1 as const, fatigue: { repeat: { afterReject: "ask" as const } } };
    const one = await bench(deleting("a", "b"), { stores });
    await one.ask("go");
    await one.resume({ type: "reject", message: "no" });
    expect(await asksFor(one)).toBe(true);
    const two = await bench(deleting("a"), { stores });
    expect(await asksFor(two)).toBe(true);
    const three = await bench(deleting("a", "a"), { stores, policy: again });
    await three.ask("go");
    await three.resume({ type: "reject", message: "no" });
    expect(await asksFor(three)).toBe(true);
  });
});

it("is remembered in another process", async () => {
  const one = await bench(deleting("a", "a"), { stores: sqlite() });
  await one.ask("go");
  await one.resume(exact);
  expect(await asksFor(await one.reopened())).toBe(false);
  expect(one.effects.deleted).toEqual(["a", "a"]);
});
