import { setTimeout } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { openDesk } from "../../src/desk/index.ts";
import type { Reviewer } from "../../src/graph/index.ts";
import type { Ledger } from "../../src/ledger/index.ts";
import { remove } from "./harness.ts";
import { approves, passes, rejects, reviewed, steps } from "./reviewed.ts";
import { sqliteFiles } from "./stores.ts";

const sqlite = sqliteFiles();

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

describe("a mode that is set while a reviewer is asked", () => {
  it.each([
    ["approves", approves],
    ["leaves it to a person", passes],
  ] as const)(
    "holds: a reviewer who %s meanwhile has nothing run and nobody asked",
    async (_case, answer) => {
      const ledgers: Ledger[] = [];
      const reviewer: Reviewer = async (request, options) => {
        for (const ledger of ledgers) await openDesk(ledger).setMode(request.thread_id, "never");
        return answer(request, options);
      };
      const one = await reviewed({ reviewer });
      ledgers.push(one.ledger);
      await one.ask("delete a");
      expect(one.effects.deleted).toEqual([]);
      expect(await one.approvals()).toMatchObject([
        { status: "rejected", decision: { decided_by: { kind: "policy" } } },
      ]);
      expect((await one.events()).filter(({ type }) => type === "reviewer_answered")).toHaveLength(1);
    },
  );
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
