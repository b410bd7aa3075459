import { describe, expect, it } from "vitest";
import { changeCall, openDesk, targetOf } from "../../src/desk/index.ts";
import { digest, lastApproval, type Authority, type Call } from "../../src/ledger/index.ts";
import { bench, call, question, remove, results, type Bench } from "./harness.ts";
import { sqliteFiles } from "./stores.ts";

const sqlite = sqliteFiles();
const steps = [{ tool_calls: [remove("a.md", "c1")] }, { content: "done" }];
const doors = [
  ["an approval agent", true],
  ["a graph without a door", false],
] as const;

/** What a process that died inside a tool left behind: a claim, and a lease that nobody renews any more. */
async function claimAndDie(
  { ledger }: Bench,
  target: Call,
  authority: Authority,
  is_safe = false,
): Promise<void> {
  const { tool, args } = lastApproval(target) ?? target;
  const claim = {
    type: "claim" as const,
    tool,
    args,
    args_digest: digest(args),
    authority,
    is_safe,
    owner: "own_dead",
  };
  const now = new Date().toISOString();
  const change = { commands: [claim], lease: { owner: "own_dead", until: now } };
  const { refusal } = await changeCall(ledger, targetOf(target), now, change);
  expect(refusal).toBeUndefined();
}

async function theCall({ ledger, config }: Bench): Promise<Call> {
  const [one] = await ledger.openCalls(config.configurable.thread_id);
  if (one === undefined) throw new Error("There is no open call.");
  return one;
}

describe.each(doors)("after a restart, %s", (_name, door) => {
  it("asks the same question again, under the ids it had", async () => {
    const one = await bench(steps, { stores: sqlite(), door });
    const before = await one.ask("delete it");
    const two = await one.reopened();
    const after = await two.goOn();
    expect(question(after, "c1").id).toBe(question(before, "c1").id);
    expect(await two.pending()).toEqual(await one.pending());
    expect(two.effects.deleted).toEqual([]);
    expect((await two.events()).map(({ type }) => type)).toEqual(["tool_call_started", "approval_requested"]);
  });

  it("acts on a decision that was written and not yet acted on", async () => {
    const one = await bench(steps, { stores: sqlite(), door });
    const before = await one.ask("delete it");
    await openDesk(one.ledger).decide(question(before, "c1").value.approval.approval_id, { type: "approve" });
    const two = await one.reopened();
    const state = await two.goOn();
    expect(two.effects.deleted).toEqual(["a.md"]);
    expect(state.__interrupt__).toBeUndefined();
  });

  it("lets a decision that was written stand against an answer that comes later", async () => {
    const one = await bench(steps, { stores: sqlite(), door });
    const before = await one.ask("delete it");
    await openDesk(one.ledger).decide(question(before, "c1").value.approval.approval_id, { type: "reject" });
    const two = await one.reopened();
    const state = await two.resume({ [question(before, "c1").id]: { type: "approve" } });
    expect(two.effects.deleted).toEqual([]);
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "rejected" } });
  });

  it("gives the next round an id of its own when the first was decided at the desk", async () => {
    const rule = {
      id: "keys",
      tools: ["delete_file"],
      when: { path: { glob: "*.key" } },
      tier: "approve" as const,
    };
    const one = await bench(steps, { stores: sqlite(), door, policy: { version: 1, rules: [rule] } });
    const first = question(await one.ask("delete it"), "c1");
    const edit = { type: "edit", args: { path: "a.key" } };
    await openDesk(one.ledger).decide(first.value.approval.approval_id, edit);
    const two = await one.reopened();
    const second = question(await two.goOn(), "c1");
    expect(second.id).not.toBe(first.id);
    await two.resume({ [first.id]: { type: "approve" } });
    expect(two.effects.deleted).toEqual([]);
    const three = await two.reopened();
    await three.resume({ [second.id]: { type: "approve" } });
    expect(three.effects.deleted).toEqual(["a.key"]);
  });

  it("asks what happened to an execution that left no result, and does not run it again", async () => {
    const one = await dead(door);
    const state = await one.goOn();
    expect(one.effects.deleted).toEqual([]);
    expect(await one.pending()).toMatchObject([
      { kind: "outcome", round: 2, allowed_decisions: ["approve", "reject", "respond"], expires_at: null },
    ]);
    expect(question(state, "c1").value.approval.kind).toBe("outcome");
    await one.goOn();
    expect(one.effects.deleted).toEqual([]);
  });

  it.each([
    ["runs it again when that is approved", { type: "approve" }, ["a.md"], "done"],
    ["lets the answer stand when it is done", { type: "respond", message: "It is gone." }, [], "responded"],
    ["gives up when that is rejected", { type: "reject" }, [], "unknown"],
  ])("%s", async (_case, answer, deleted, outcome) => {
    const one = await dead(door);
    const asked = question(await one.goOn(), "c1");
    const state = await one.resume({ [asked.id]: answer });
    expect(one.effects.deleted).toEqual(deleted);
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome } });
    expect(await one.pending()).toEqual([]);
    expect(state.__interrupt__).toBeUndefined();
  });

  it("asks again when the second execution leaves no result either", async () => {
    const one = await dead(door);
    const asked = question(await one.goOn(), "c1").value.approval;
    await openDesk(one.ledger).decide(asked.approval_id, { type: "approve" });
    await claimAndDie(one, await theCall(one), { kind: "approval", approval_id: asked.approval_id });
    const again = await one.goOn();
    expect(question(again, "c1").value.approval).toMatchObject({ kind: "outcome" });
    expect(question(again, "c1").value.approval.approval_id).not.toBe(asked.approval_id);
    expect(one.effects.deleted).toEqual([]);
  });

  it("runs a safe call again without asking", async () => {
    const one = await bench([{ tool_calls: [call("read_file", { path: "r" }, "c1")] }, { content: "done" }], {
      stores: sqlite(),
      door,
      policy: { version: 1, rules: [{ id: "ask", tools: ["read_file"], tier: "approve" }] },
    });
    const before = await one.ask("read it");
    const { approval_id } = question(before, "c1").value.approval;
    await openDesk(one.ledger).decide(approval_id, { type: "approve" });
    await claimAndDie(one, await theCall(one), { kind: "approval", approval_id }, true);
    const two = await one.reopened();
    const state = await two.goOn();
    expect(two.effects.read).toEqual(["r"]);
    expect(state.__interrupt__).toBeUndefined();
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "done" } });
  });
});

/** A thread whose approved call was begun by a process that is gone. */
async function dead(door: boolean): Promise<Bench> {
  const one = await bench(steps, { stores: sqlite(), door });
  const before = await one.ask("delete it");
  const { approval_id } = question(before, "c1").value.approval;
  await openDesk(one.ledger).decide(approval_id, { type: "approve" });
  await claimAndDie(one, await theCall(one), { kind: "approval", approval_id });
  return one.reopened();
}
