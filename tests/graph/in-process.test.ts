import { setTimeout } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { openDesk } from "../../src/desk/index.ts";
import { approveAll, rejectAll, scriptedReviewer, type Answer } from "../../src/graph/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { bench, remove, results } from "./harness.ts";

const steps = [{ tool_calls: [remove("a", "c1"), remove("b", "c2")] }, { content: "done" }];

describe("a person asked in process", () => {
  it("decides while the run runs, without an interrupt", async () => {
    const asked: string[] = [];
    const answer: Answer = (approval) => {
      asked.push(approval.tool_call_id);
      return Promise.resolve({ type: "approve" });
    };
    const one = await bench(steps, { answer });
    const state = await one.ask("delete both");
    expect(state.__interrupt__).toBeUndefined();
    expect(asked.sort()).toEqual(["c1", "c2"]);
    expect(one.effects.deleted.sort()).toEqual(["a", "b"]);
  });

  it("can also be asked in a graph without a checkpointer", async () => {
    const one = await bench(steps, { answer: approveAll(), checkpointer: false });
    await one.ask("delete both");
    expect(one.effects.deleted).toHaveLength(2);
  });

  it("is asked again after an answer that is not valid", async () => {
    const answer = scriptedReviewer([
      { type: "perhaps" },
      { type: "edit", args: { path: "" } },
      { type: "reject" },
    ]);
    const one = await bench([{ tool_calls: [remove("a", "c1")] }, { content: "done" }], { answer });
    const state = await one.ask("delete");
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "rejected" } });
    expect(await one.approvals()).toHaveLength(1);
  });

  it("is told what was wrong with the answer before, and is given up when none is ever valid", async () => {
    const told: (string | undefined)[] = [];
    const answer: Answer = (_approval, { refused }) => {
      told.push(refused);
      return Promise.resolve({ type: "perhaps" });
    };
    const one = await bench([{ tool_calls: [remove("a", "c1")] }, { content: "done" }], { answer });
    const state = await one.ask("delete");
    expect(told[0]).toBeUndefined();
    expect(told[1]).toMatch(/no valid decision of type "perhaps"/);
    expect(told).toHaveLength(20);
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "unavailable" } });
    expect(one.effects.deleted).toEqual([]);
  });

  it("is asked about the next round of an edit that needs more", async () => {
    const edit = { type: "edit", editedAction: { name: "pay", args: { to: "x", amount: 1 } } };
    const one = await bench([{ tool_calls: [remove("a", "c1")] }, { content: "done" }], {
      answer: scriptedReviewer([edit, { type: "approve" }]),
    });
    await one.ask("delete");
    expect(one.effects).toMatchObject({ deleted: [], paid: [{ to: "x", amount: 1 }] });
  });

  it("who throws leaves the call unavailable, and the model is told so", async () => {
    const one = await bench(steps, { answer: () => Promise.reject(new Error("no terminal")) });
    const state = await one.ask("delete both");
    expect(one.effects.deleted).toEqual([]);
    expect(results(state)["c1"]).toMatchObject({ status: "error", artifact: { outcome: "unavailable" } });
    expect((await one.approvals()).map(({ status }) => status)).toEqual(["unavailable", "unavailable"]);
  });

  it("who throws at once, before there is a promise, does so too", async () => {
    const answer = (): never => {
      throw new Error("no terminal");
    };
    const one = await bench(steps, { answer });
    const state = await one.ask("delete both");
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "unavailable" } });
  });

  it("who is too slow finds the question expired, and is told to stop", async () => {
    let stopped = false;
    const answer: Answer = (_approval, { signal }) =>
      new Promise(() => signal.addEventListener("abort", () => (stopped = true)));
    const one = await bench([{ tool_calls: [remove("a", "c1")] }, { content: "done" }], {
      answer,
      policy: { version: 1, review: { timeout: "1s" } },
    });
    const state = await one.ask("delete");
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "expired" } });
    expect(stopped).toBe(true);
  });

  it("is told to stop when somebody decides at the desk meanwhile", async () => {
    let stopped = false;
    const ledger = await openLedger("memory:");
    const answer: Answer = async ({ approval_id }, { signal }) => {
      signal.addEventListener("abort", () => (stopped = true));
      await openDesk(ledger).decide(approval_id, { type: "approve" });
      return new Promise(() => undefined);
    };
    const one = await bench([{ tool_calls: [remove("a", "c1")] }, { content: "done" }], { answer, ledger });
    await one.ask("delete");
    expect(one.effects.deleted).toEqual(["a"]);
    expect(stopped).toBe(true);
  });

  it("is asked again after a restart in the middle of the question", async () => {
    let asked = 0;
    const answer: Answer = () => {
      asked += 1;
      return asked === 1 ? new Promise(() => undefined) : Promise.resolve({ type: "approve" });
    };
    const one = await bench([{ tool_calls: [remove("a", "c1")] }, { content: "done" }], { answer });
    void one.ask("delete").catch(() => undefined);
    await vi.waitUntil(() => asked === 1);
    await one.goOn();
    expect(one.effects.deleted).toEqual(["a"]);
    expect(await one.approvals()).toHaveLength(1);
  });
});

describe("reviewers for evaluations", () => {
  it("approve all, or reject all with a message", async () => {
    const yes = await bench(steps, { answer: approveAll() });
    await yes.ask("delete both");
    expect(yes.effects.deleted).toHaveLength(2);
    const no = await bench(steps, { answer: rejectAll("not today") });
    const state = await no.ask("delete both");
    expect(no.effects.deleted).toEqual([]);
    expect(results(state)["c1"]?.content).toContain("not today");
  });

  it("follow a script, and are unavailable when it has come to its end", async () => {
    const answer = scriptedReviewer([{ type: "reject" }, () => Promise.resolve({ type: "approve" })]);
    const one = await bench(
      [...steps.slice(0, 1), { tool_calls: [remove("c", "c3")] }, { content: "done" }],
      { answer },
    );
    await one.ask("delete");
    expect((await one.approvals()).map(({ status }) => status).sort()).toEqual([
      "approved",
      "rejected",
      "unavailable",
    ]);
  });
});

describe("an abort of the run", () => {
  it("ends its questions as cancelled, in process", async () => {
    const abort = new AbortController();
    const answer: Answer = () => {
      abort.abort();
      return new Promise(() => undefined);
    };
    const one = await bench([{ tool_calls: [remove("a", "c1")] }, { content: "done" }], { answer });
    await expect(one.ask("delete", { signal: abort.signal })).rejects.toThrow();
    await vi.waitUntil(async () => (await one.pending()).length === 0);
    expect((await one.approvals()).map(({ status }) => status)).toEqual(["cancelled"]);
    expect(one.effects.deleted).toEqual([]);
  });

  it("ends them while a sibling still runs, and runs nothing afterwards", async () => {
    const abort = new AbortController();
    const one = await bench(
      [{ tool_calls: [remove("a", "c1"), remove("slow", "c2")] }, { content: "done" }],
      {
        answer: ({ tool_call_id }) =>
          tool_call_id === "c1" ? new Promise(() => undefined) : setTimeout(20).then(() => abort.abort()),
      },
    );
    await expect(one.ask("delete", { signal: abort.signal })).rejects.toThrow();
    await vi.waitUntil(async () => (await one.pending()).length === 0);
    expect(one.effects.deleted).toEqual([]);
    expect(new Set((await one.approvals()).map(({ status }) => status))).toEqual(new Set(["cancelled"]));
  });

  it("does not touch a question once the run has paused", async () => {
    const abort = new AbortController();
    const one = await bench(steps);
    await one.ask("delete both", { signal: abort.signal });
    abort.abort();
    await setTimeout(50);
    expect(await one.pending()).toHaveLength(2);
  });
});
