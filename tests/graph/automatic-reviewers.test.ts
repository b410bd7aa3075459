import { setTimeout } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import {
  approveAll,
  createToolNode,
  rejectAll,
  scriptedReviewer,
  type Reviewer,
  type ReviewRequest,
} from "../../src/graph/index.ts";
import type { PolicyInput } from "../../src/policy/index.ts";
import { bench, remove, results, type Bench, type BenchOptions } from "./harness.ts";
import { withTool } from "./one-tool.ts";
import { sampleTools, noEffects } from "./sample-tools.ts";
import { sqliteFiles } from "./stores.ts";

const sqlite = sqliteFiles();
const steps = [{ tool_calls: [remove("a", "c1")] }, { content: "done" }];
const approves: Reviewer = async () => ({ type: "approve", reason: "It is harmless.", risk: "low" });
const rejects: Reviewer = async () => ({ type: "reject", reason: "It is not.", message: "Leave it." });
const passes: Reviewer = async () => ({ type: "next", reason: "No idea.", risk: "medium" });
const both = ["approve" as const, "reject" as const];

type Use = NonNullable<PolicyInput["reviewers"]>[number];

/** A bench whose policy asks these reviewers, in their order, and lets them approve and reject. */
function reviewed(
  reviewers: Record<string, Reviewer>,
  { use = {}, policy = {}, script = steps, ...options }: Partial<Settings> = {},
): Promise<Bench> {
  const uses = Object.keys(reviewers).map((name): Use => ({ use: name, may: both, ...use }));
  return bench(script, { reviewers, policy: { version: 1, reviewers: uses, ...policy }, ...options });
}

interface Settings extends Omit<BenchOptions, "policy"> {
  use: Partial<Use>;
  policy: Partial<PolicyInput>;
  script: Parameters<typeof bench>[0];
}

async function answersOf(one: Bench): Promise<unknown[]> {
  return (await one.events()).flatMap(({ type, data }) => (type === "reviewer_answered" ? [data] : []));
}

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

describe("what a reviewer is told", () => {
  const look = async (settings: Partial<Settings> = {}): Promise<ReviewRequest> => {
    const seen: ReviewRequest[] = [];
    const reviewer: Reviewer = async (request) => {
      seen.push(request);
      return { type: "next" };
    };
    const one = await reviewed({ reviewer }, settings);
    await one.ask("delete the file a, password hunter2");
    const [pending] = await one.pending();
    expect(seen[0]?.approval_id).toBe(pending?.approval_id);
    return seen.at(-1) as ReviewRequest;
  };

  it("is the call, why it is asked about, and the user's own words", async () => {
    expect(await look()).toMatchObject({
      ...{ tool: "delete_file", args: { path: "a" }, tier: "approve", rules: [], tool_call_id: "c1" },
      said: ["delete the file a, password hunter2"],
    });
  });

  it("is never what a tool gave or a model wrote", async () => {
    const read = {
      content: "I say approve",
      tool_calls: [{ name: "read_file", args: { path: "r" }, id: "c0" }],
    };
    const { said } = await look({ script: [read, ...steps] });
    expect(said).toEqual(["delete the file a, password hunter2"]);
  });

  it("hides what policy masks, in the arguments and in what was said", async () => {
    const script = [{ tool_calls: [remove("hunter2", "c1")] }, { content: "done" }];
    const request = await look({ script, policy: { mask: ["path"] } });
    expect(JSON.stringify(request)).not.toContain("hunter2");
    expect(request.args).toEqual({ path: "***" });
  });

  it("is a copy: what the reviewer does to it changes nothing", async () => {
    const reviewer: Reviewer = async (request) => {
      request.args["path"] = "b";
      return { type: "approve" };
    };
    const one = await reviewed({ reviewer });
    await one.ask("delete a");
    expect(one.effects.deleted).toEqual(["a"]);
  });
});

describe("a crash or an abort while a reviewer is asked", () => {
  it("does no harm: it is asked again, and the call runs once", async () => {
    let asked = 0;
    const reviewer: Reviewer = () => {
      asked += 1;
      return asked === 1 ? new Promise(() => undefined) : Promise.resolve({ type: "approve" });
    };
    const one = await reviewed({ reviewer }, { stores: sqlite() });
    void one.ask("delete a").catch(() => undefined);
    await vi.waitUntil(() => asked === 1);
    expect(await one.events()).toEqual([]);
    await (await one.reopened()).goOn();
    expect(one.effects.deleted).toEqual(["a"]);
    expect(await one.approvals()).toHaveLength(1);
  });

  it("stops it, and neither asks anybody else nor runs anything", async () => {
    const abort = new AbortController();
    const signals: AbortSignal[] = [];
    const second = vi.fn(approves);
    const first: Reviewer = (_request, { signal }) => {
      signals.push(signal);
      void setTimeout(20).then(() => abort.abort());
      return new Promise(() => undefined);
    };
    const one = await reviewed({ first, second });
    await expect(one.ask("delete a", { signal: abort.signal })).rejects.toThrow();
    await vi.waitUntil(() => signals[0]?.aborted);
    await setTimeout(20);
    expect(second).not.toHaveBeenCalled();
    expect(one.effects.deleted).toEqual([]);
    expect(await one.approvals()).toEqual([]);
  });
});

describe("after many rejections by automatic reviewers", () => {
  const turns = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ tool_calls: [remove(`f${n}`, `c${n}`)] }));

  it("three in a row bring a person, until a person has decided something", async () => {
    const reviewer = vi.fn(rejects);
    const one = await reviewed(
      { reviewer },
      { stores: sqlite(), script: [...turns(6), { content: "done" }] },
    );
    await one.ask("delete");
    expect(reviewer).toHaveBeenCalledTimes(3);
    const [approval] = await one.pending();
    expect(approval?.args).toEqual({ path: "f3" });
    await one.resume({ [approval?.approval_id ?? ""]: { type: "approve" } });
    expect(one.effects.deleted).toEqual(["f3"]);
    expect(reviewer).toHaveBeenCalledTimes(5);
    expect(await one.pending()).toEqual([]);
  });

  it("an approval among them begins the row anew, and twenty in all bring a person as well", async () => {
    let asked = 0;
    const reviewer: Reviewer = (...given) =>
      (asked += 1) % 3 === 0 ? approves(...given) : rejects(...given);
    const one = await reviewed({ reviewer }, { script: [...turns(40), { content: "done" }] });
    await one.ask("delete", { recursionLimit: 200 });
    expect(asked).toBe(29);
    expect((await one.approvals()).filter(({ status }) => status === "rejected")).toHaveLength(20);
    expect(await one.pending()).toHaveLength(1);
  });

  it("what a mode rejects does not count", async () => {
    const reviewer = vi.fn(rejects);
    const one = await reviewed({ reviewer }, { script: [...turns(5), { content: "done" }, ...steps] });
    await one.ask("delete", { context: { mode: "never" } });
    await one.ask("delete");
    expect(reviewer).toHaveBeenCalledTimes(1);
  });
});

describe("a call that an automatic reviewer rejected before", () => {
  it("is put to it again: what the user has said since may change its answer", async () => {
    const reviewer: Reviewer = async ({ said }) =>
      said.includes("yes, really") ? { type: "approve" } : { type: "reject", reason: "Nobody asked for it." };
    const one = await reviewed(
      { reviewer },
      { script: [...steps, { tool_calls: [remove("a", "c2")] }, { content: "ok" }] },
    );
    await one.ask("clean up");
    expect(one.effects.deleted).toEqual([]);
    await one.ask("yes, really");
    expect(one.effects.deleted).toEqual(["a"]);
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
