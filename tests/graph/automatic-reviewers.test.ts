import { describe, expect, it, vi } from "vitest";
import {
  approveAll,
  createToolNode,
  rejectAll,
  scriptedReviewer,
  type Reviewer,
} from "../../src/graph/index.ts";
import { bench, results } from "./harness.ts";
import { withTool } from "./one-tool.ts";
import { answersOf, approves, both, passes, rejects, reviewed, steps } from "./reviewed.ts";
import { sampleTools, noEffects } from "./sample-tools.ts";
import { sqliteFiles } from "./stores.ts";

const sqlite = sqliteFiles();

describe("an automatic reviewer", () => {
  it("approves in a person's place, and the call runs once", async () => {
    const one = await reviewed({ quick: approves }, { stores: sqlite() });
    const state = await one.ask("delete a");
    expect(state.__interrupt__).toBeUndefined();
    expect(one.effects.deleted).toEqual(["a"]);
    expect(await one.approvals()).toMatchObject([
      {
        status: "approved",
        decision: { reason: "It is harmless.", decided_by: { kind: "reviewer", id: "quick" } },
        execution: { state: "succeeded" },
      },
    ]);
    expect(await one.ledger.verify()).toMatchObject({ ok: true });
  });

  it("rejects: the call does not run, and the model is told why", async () => {
    const one = await reviewed({ quick: rejects });
    const state = await one.ask("delete a");
    expect(one.effects.deleted).toEqual([]);
    expect(results(state)["c1"]).toMatchObject({ status: "error", artifact: { outcome: "rejected" } });
    expect(results(state)["c1"]?.content).toContain("Leave it.");
  });

  it("leaves what it said in the ledger, before the question and in one step with it", async () => {
    const one = await reviewed({ first: passes, second: rejects }, { stores: sqlite() });
    await one.ask("delete a");
    const events = await one.events();
    expect(events.map(({ type }) => type)).toEqual([
      ...["tool_call_started", "reviewer_answered", "reviewer_answered"],
      ...["approval_requested", "approval_resolved", "tool_result"],
    ]);
    expect(events[1]?.data).toMatchObject({ reviewer: "first", verdict: "next", risk: "medium" });
    expect(events[2]?.data).toMatchObject({ reviewer: "second", verdict: "reject", reason: "It is not." });
    expect(new Set(events.slice(0, 5).map(({ at }) => at)).size).toBe(1);
  });

  it("who says next leaves it to a person, and to the one after", async () => {
    const asked: string[] = [];
    const noting =
      (name: string): Reviewer =>
      async () => {
        asked.push(name);
        return { type: "next" };
      };
    const one = await reviewed({ first: noting("first"), second: noting("second") });
    await one.ask("delete a");
    expect(asked).toEqual(["first", "second"]);
    expect(await one.pending()).toHaveLength(1);
    expect(await answersOf(one)).toHaveLength(2);
  });

  it("is asked once for each question, not again when the person's answer comes", async () => {
    const reviewer = vi.fn(passes);
    const one = await reviewed({ reviewer });
    await one.ask("delete a");
    const [approval] = await one.pending();
    await one.resume({ [approval?.approval_id ?? ""]: { type: "approve" } });
    expect(one.effects.deleted).toEqual(["a"]);
    expect(reviewer).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Reviewer, RegExp]>([
    ["throws", () => Promise.reject(new Error("no model")), /no model/],
    [
      "throws at once",
      () => {
        throw new Error("no model");
      },
      /no model/,
    ],
    ["gives no answer", (async () => undefined) as never, /answer is none/],
    ["gives a decision that is none of its own", (async () => ({ type: "edit", args: {} })) as never, /none/],
    ["gives a text", (async () => "approve") as never, /answer is none/],
  ])("who %s is passed over for the next, and for a person", async (_case, broken, error) => {
    const one = await reviewed({ broken });
    await one.ask("delete a");
    expect(one.effects.deleted).toEqual([]);
    expect(await one.pending()).toHaveLength(1);
    expect(await answersOf(one)).toMatchObject([
      { verdict: null, error: expect.stringMatching(error) as string },
    ]);
  });

  it("who takes too long is passed over and told to stop", async () => {
    let stopped = false;
    const slow: Reviewer = (_request, { signal }) =>
      new Promise(() => signal.addEventListener("abort", () => (stopped = true)));
    const one = await reviewed({ slow }, { use: { timeout: "1s" } });
    await one.ask("delete a");
    expect(stopped).toBe(true);
    expect(await one.pending()).toHaveLength(1);
    expect(await answersOf(one)).toMatchObject([{ verdict: null, error: "It did not answer within 1s." }]);
  });

  it("may by default only reject: its approval counts for nothing", async () => {
    const one = await bench(steps, {
      reviewers: { quick: approves },
      policy: { version: 1, reviewers: [{ use: "quick" }] },
    });
    await one.ask("delete a");
    expect(one.effects.deleted).toEqual([]);
    expect(await one.pending()).toHaveLength(1);
    expect(await answersOf(one)).toMatchObject([
      { verdict: "approve", error: expect.stringContaining("let it") as string },
    ]);
  });

  it("who may only approve does not reject", async () => {
    const one = await reviewed({ quick: rejects }, { use: { may: ["approve"] } });
    await one.ask("delete a");
    expect(await one.pending()).toHaveLength(1);
  });

  it("does not approve where the policy takes no approvals, or wants a reason that it has not given", async () => {
    const bare: Reviewer = async () => ({ type: "approve" });
    for (const review of [
      { decisions: ["reject" as const, "respond" as const] },
      { requireReason: ["approve" as const] },
    ]) {
      const one = await reviewed({ bare }, { policy: { review } });
      await one.ask("delete a");
      expect(one.effects.deleted).toEqual([]);
      expect(await one.pending()).toHaveLength(1);
    }
  });

  it("approves nothing for which several people, or only some, are asked, and may reject it", async () => {
    const policy = { groups: { leads: ["ana", "bob"] }, review: { quorum: 2, by: ["leads"] } };
    const yes = await reviewed({ quick: approves }, { policy });
    await yes.ask("delete a");
    expect(yes.effects.deleted).toEqual([]);
    expect(await yes.pending()).toMatchObject([{ quorum: 2, votes: [] }]);
    expect(await answersOf(yes)).toMatchObject([{ error: expect.stringContaining("Only people") as string }]);
    const no = await reviewed({ quick: rejects }, { policy });
    await no.ask("delete a");
    expect(await no.approvals()).toMatchObject([{ status: "rejected" }]);
  });

  it("does not approve what a person has edited, and may reject it", async () => {
    const edit = { type: "edit", editedAction: { name: "pay", args: { to: "x", amount: 1 } } };
    for (const [after, status] of [
      [approves, "pending"],
      [rejects, "rejected"],
    ] as const) {
      let asked = 0;
      const reviewer: Reviewer = (...given) => ((asked += 1) === 1 ? passes(...given) : after(...given));
      const one = await reviewed({ reviewer });
      await one.ask("delete a");
      const [first] = await one.pending();
      await one.resume({ [first?.approval_id ?? ""]: edit });
      expect(asked).toBe(2);
      expect((await one.approvals()).map((approval) => approval.status)).toEqual(["edited", status]);
      expect(one.effects).toMatchObject({ deleted: [], paid: [] });
    }
  });

  it.each(["never" as const, "fail_closed" as const])("is not asked in the mode %s", async (mode) => {
    const reviewer = vi.fn(approves);
    const one = await reviewed({ reviewer }, { policy: { mode } });
    await one.ask("delete a").catch(() => undefined);
    expect(reviewer).not.toHaveBeenCalled();
    expect(one.effects.deleted).toEqual([]);
  });

  it("is not asked about calls that run without asking, or never run", async () => {
    const reviewer = vi.fn(approves);
    const rules = [{ id: "no", tools: ["delete_file"], tier: "deny" as const }];
    const one = await reviewed({ reviewer }, { policy: { rules } });
    await one.ask("delete a");
    expect(reviewer).not.toHaveBeenCalled();
  });

  it("is not asked what became of a call that left no result: that is known to people only", async () => {
    const reviewer = vi.fn(approves);
    const one = await withTool(() => new Promise(() => undefined), {
      risk: { timeoutMs: 50 },
      reviewers: { reviewer },
      policy: { version: 1, reviewers: [{ use: "reviewer", may: both }] },
    });
    await one.ask("act");
    expect(await one.pending()).toMatchObject([{ kind: "outcome" }]);
    expect(reviewer).not.toHaveBeenCalled();
  });

  it("decides where nobody else could: a graph without a checkpointer", async () => {
    const one = await reviewed({ quick: approves }, { checkpointer: false });
    await one.ask("delete a");
    expect(one.effects.deleted).toEqual(["a"]);
  });

  it("who decides nothing leaves such a call unavailable and not run", async () => {
    const one = await reviewed({ quick: passes }, { checkpointer: false });
    const state = await one.ask("delete a");
    expect(one.effects.deleted).toEqual([]);
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "unavailable" } });
  });

  it("comes before the person in process", async () => {
    const answer = vi.fn(approveAll());
    const one = await reviewed({ quick: rejects }, { answer });
    await one.ask("delete a");
    expect(answer).not.toHaveBeenCalled();
    expect(one.effects.deleted).toEqual([]);
  });

  it("may be one of the reviewers for evaluations", async () => {
    const script = scriptedReviewer([{ type: "next" }, { type: "approve" }]);
    const one = await reviewed({ script }, { script: [...steps, ...steps] });
    await one.ask("delete a");
    expect(await one.pending()).toHaveLength(1);
    const two = await reviewed({ all: rejectAll("not today") });
    expect(results(await two.ask("delete a"))["c1"]?.content).toContain("not today");
  });
});

describe("a policy that names a reviewer which is not registered", () => {
  const policy = { version: 1 as const, reviewers: [{ use: "carefull" }] };

  it("is refused where the graph is made, with its path and the nearest name", () => {
    expect(() =>
      createToolNode(sampleTools(noEffects()), { policy, reviewers: { careful: passes } }),
    ).toThrow(
      expect.objectContaining({
        name: "PolicyError",
        errors: [
          {
            path: "reviewers[0].use",
            message: '"carefull" is no registered reviewer; did you mean "careful"?',
          },
        ],
      }),
    );
  });

  it("is refused by an agent that has none, too", async () => {
    await expect(bench(steps, { policy })).rejects.toThrow(/none is registered/);
  });
});
