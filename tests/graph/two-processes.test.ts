import { describe, expect, it } from "vitest";
import { openDesk } from "../../src/desk/index.ts";
import { bench, question, remove, results } from "./harness.ts";
import { inMemory, sqliteFiles } from "./stores.ts";

const sqlite = sqliteFiles();
const steps = [{ tool_calls: [remove("a.md", "c1")] }, { content: "done" }];

describe.each([
  ["an approval agent", true],
  ["a graph without a door", false],
] as const)("two copies of %s over one store", (_name, door) => {
  it.each([
    ["on SQLite", sqlite],
    ["in memory", inMemory],
  ])("run an approved call once when both resume it at once, %s", async (_place, place) => {
    const one = await bench(steps, { stores: place(), door });
    const asked = question(await one.ask("delete it"), "c1");
    const two = await one.reopened();
    const answer = { [asked.id]: { type: "approve" } };
    const states = await Promise.all([one.resume(answer), two.resume(answer)]);
    expect(one.effects.deleted).toEqual(["a.md"]);
    for (const state of states) {
      expect(results(state)["c1"]).toMatchObject({ content: "deleted a.md", artifact: { outcome: "done" } });
    }
  });

  it("let the first decision stand when they are told different things", async () => {
    const one = await bench(steps, { stores: sqlite(), door });
    const asked = question(await one.ask("delete it"), "c1");
    const two = await one.reopened();
    const states = await Promise.all([
      one.resume({ [asked.id]: { type: "reject" } }),
      two.resume({ [asked.id]: { type: "approve" } }),
    ]);
    const [approval] = await one.approvals();
    expect(one.effects.deleted).toEqual(approval?.status === "approved" ? ["a.md"] : []);
    const outcome = approval?.status === "approved" ? "done" : "rejected";
    for (const state of states) expect(results(state)["c1"]).toMatchObject({ artifact: { outcome } });
  });

  it("run a call once when both only enter again after a decision at the desk", async () => {
    const one = await bench(steps, { stores: sqlite(), door });
    const asked = question(await one.ask("delete it"), "c1");
    await openDesk(one.ledger).decide(asked.value.approval.approval_id, { type: "approve" });
    const two = await one.reopened();
    await Promise.all([one.goOn(), two.goOn()]);
    expect(one.effects.deleted).toEqual(["a.md"]);
  });
});
