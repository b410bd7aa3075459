import { describe, expect, it } from "vitest";
import { openDesk } from "../../src/desk/index.ts";
import { decide } from "../../src/graph/index.ts";
import { bench, call, question, remove, results } from "./harness.ts";
import { inMemory, sqliteFiles } from "./stores.ts";

const sqlite = sqliteFiles();
const steps = [{ tool_calls: [remove("old.md", "c1")] }, { content: "done" }];
const keys = {
  version: 1 as const,
  rules: [
    { id: "keys", tools: ["delete_file"], when: { path: { glob: "*.key" } }, tier: "approve" as const },
  ],
};

const places = [
  ["in memory", inMemory],
  ["on SQLite", sqlite],
] as const;

describe.each(places)("an approval agent %s", (_name, place) => {
  it("has no effect before a decision", async () => {
    const { ask, effects, pending } = await bench(steps, { stores: place() });
    const state = await ask("delete old.md");
    expect(effects.deleted).toEqual([]);
    expect(state.__interrupt__).toHaveLength(1);
    const [approval] = await pending();
    expect(approval).toMatchObject({
      tool: "delete_file",
      args: { path: "old.md" },
      tier: "approve",
      status: "pending",
      interrupt_id: state.__interrupt__?.[0]?.id,
    });
    expect(Date.parse(approval?.expires_at ?? "")).toBeGreaterThan(Date.now());
    expect(approval?.reason).not.toBe("");
  });

  it("runs the tool once after approval", async () => {
    const { ask, resume, effects, pending } = await bench(steps, { stores: place() });
    await ask("delete old.md");
    const state = await resume({ type: "approve" });
    expect(effects.deleted).toEqual(["old.md"]);
    expect(state.__interrupt__).toBeUndefined();
    expect(state.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
    expect(results(state)["c1"]).toMatchObject({
      content: "deleted old.md",
      artifact: { outcome: "done", execution: "succeeded" },
    });
    expect(await pending()).toEqual([]);
  });

  it("does not run the tool after a rejection, and tells the model why", async () => {
    const { ask, resume, effects, pending } = await bench(steps, { stores: place() });
    await ask("delete old.md");
    const state = await resume({ type: "reject", message: "keep it" });
    expect(effects.deleted).toEqual([]);
    expect(results(state)["c1"]).toMatchObject({
      status: "error",
      artifact: { outcome: "rejected", execution: "none" },
    });
    expect(results(state)["c1"]?.content).toMatch(/keep it.*Do not repeat this call/);
    expect(await pending()).toEqual([]);
  });

  it("runs edited arguments and keeps both", async () => {
    const { ask, resume, effects, approvals } = await bench(steps, { stores: place() });
    await ask("delete old.md");
    await resume({ type: "edit", args: { path: "older.md" } });
    expect(effects.deleted).toEqual(["older.md"]);
    expect(await approvals()).toMatchObject([
      { status: "edited", args: { path: "old.md" }, decision: { args: { path: "older.md" } } },
    ]);
  });

  it("keeps the question open with a note when edited arguments fail the schema", async () => {
    const one = await bench(steps, { stores: place() });
    const before = await one.ask("delete old.md");
    const state = await one.resume({ type: "edit", args: { path: "" } });
    expect(question(state, "c1").id).toBe(question(before, "c1").id);
    expect(question(state, "c1").value.approval.refused).toContain("path");
    expect(one.effects.deleted).toEqual([]);
    await one.resume({ type: "approve" });
    expect(one.effects.deleted).toEqual(["old.md"]);
  });

  it("opens the next round when edited arguments match a rule that was not disclosed", async () => {
    const one = await bench(steps, { stores: place(), policy: keys });
    await one.ask("delete old.md");
    const state = await one.resume({ type: "edit", args: { path: "id.key" } });
    expect(one.effects.deleted).toEqual([]);
    const [first, second] = await one.approvals();
    expect(first).toMatchObject({
      status: "edited",
      execution: { state: "blocked" },
      next_approval_id: second?.approval_id,
    });
    expect(second).toMatchObject({ status: "pending", round: 2, args: { path: "id.key" }, rules: ["keys"] });
    expect(question(state, "c1").value.approval.approval_id).toBe(second?.approval_id);
    await one.resume({ type: "approve" });
    expect(one.effects.deleted).toEqual(["id.key"]);
  });

  it("opens the next round when an edit names another tool", async () => {
    const one = await bench(steps, { stores: place() });
    await one.ask("delete old.md");
    const edit = { type: "edit", editedAction: { name: "pay", args: { to: "me", amount: 1 } } };
    await one.resume(edit);
    expect(one.effects.paid).toEqual([]);
    expect(await one.pending()).toMatchObject([{ round: 2, tool: "pay", args: { to: "me", amount: 1 } }]);
    const state = await one.resume({ type: "approve" });
    expect(one.effects.paid).toEqual([{ to: "me", amount: 1 }]);
    expect(one.effects.deleted).toEqual([]);
    expect(results(state)["c1"]?.content).toMatch(
      /^paid 1 to me\n\n\(A reviewer changed this call .* It ran as pay /,
    );
  });

  it.each([
    ["is denied", { name: "wipe", args: { path: "/" } }, "denied"],
    ["does not exist", { name: "nothing_like_it", args: {} }, "invalid"],
  ])("runs nothing when an edit names a tool that %s", async (_case, editedAction, outcome) => {
    const one = await bench(steps, { stores: place() });
    await one.ask("delete old.md");
    const state = await one.resume({ type: "edit", editedAction });
    expect(one.effects).toMatchObject({ deleted: [], wiped: [] });
    expect(results(state)["c1"]).toMatchObject({
      status: "error",
      artifact: { outcome, execution: "blocked" },
    });
    expect(await one.pending()).toEqual([]);
  });

  it("runs an edit that needs less at once when it names a safer call of the same tool", async () => {
    const one = await bench([{ tool_calls: [remove("id.key", "c1")] }, { content: "done" }], {
      stores: place(),
      policy: keys,
    });
    await one.ask("delete the key");
    await one.resume({ type: "edit", args: { path: "old.md" } });
    expect(one.effects.deleted).toEqual(["old.md"]);
  });

  it("lets an answer stand in place of the result", async () => {
    const one = await bench(steps, { stores: place() });
    await one.ask("delete old.md");
    const state = await one.resume({ type: "respond", message: "I deleted it by hand." });
    expect(one.effects.deleted).toEqual([]);
    expect(results(state)["c1"]).toMatchObject({
      content: "I deleted it by hand.",
      status: "success",
      artifact: { outcome: "responded", execution: "none" },
    });
  });

  it("ends a withdrawn question as cancelled and discards a late answer", async () => {
    const one = await bench(steps, { stores: place() });
    const before = await one.ask("delete old.md");
    const desk = openDesk(one.ledger);
    const { approval_id } = question(before, "c1").value.approval;
    await desk.withdraw(approval_id, { reason: "Not needed." });
    await expect(desk.decide(approval_id, { type: "approve" })).rejects.toMatchObject({ code: "cancelled" });
    const state = await one.resume({ [question(before, "c1").id]: { type: "approve" } });
    expect(one.effects.deleted).toEqual([]);
    expect(results(state)["c1"]).toMatchObject({ status: "error", artifact: { outcome: "cancelled" } });
    expect(results(state)["c1"]?.content).toContain("Not needed.");
  });

  it("goes on from decisions given by approval id", async () => {
    const one = await bench(
      [{ tool_calls: [remove("a.md", "c1"), call("read_file", { path: "b" }, "c2")] }, { content: "done" }],
      {
        stores: place(),
      },
    );
    const before = await one.ask("delete a.md, read b");
    const { approval_id } = question(before, "c1").value.approval;
    const state = await decide(one.graph, one.config, { [approval_id]: { type: "approve" } });
    expect(state["__interrupt__"]).toBeUndefined();
    expect(one.effects).toMatchObject({ deleted: ["a.md"], read: ["b"] });
    await expect(decide(one.graph, one.config, { [approval_id]: { type: "reject" } })).rejects.toMatchObject({
      code: "already_decided",
    });
  });
});

describe("deadlines", () => {
  it.each([
    ["nobody came", "goOn"],
    ["somebody came too late", "resume"],
  ] as const)("end a question as expired when %s, also after a restart", async (_case, how) => {
    let now = Date.parse("2030-01-01T00:00:00Z");
    const policy = { version: 1 as const, review: { timeout: "15m" } };
    const first = await bench(steps, { stores: sqlite(), clock: () => now, policy });
    await first.ask("delete old.md");
    now += 15 * 60_000 - 1;
    const early = await first.goOn();
    expect(early.__interrupt__).toHaveLength(1);
    now += 1;
    const second = await first.reopened();
    const state = how === "goOn" ? await second.goOn() : await second.resume({ type: "approve" });
    expect(second.effects.deleted).toEqual([]);
    expect(results(state)["c1"]).toMatchObject({ status: "error", artifact: { outcome: "expired" } });
    expect(results(state)["c1"]?.content).toMatch(/nobody answered in time.*Nobody refused/);
    expect(await second.approvals()).toMatchObject([
      { status: "expired", decision: { decided_by: { kind: "timeout" } } },
    ]);
  });
});
