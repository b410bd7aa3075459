import { describe, expect, it } from "vitest";
import { openDesk } from "../../src/desk/index.ts";
import { ApprovalRequiredError, approveAll, createApprovalAgent, withRisk } from "../../src/graph/index.ts";
import { scriptedModel } from "../../src/models/index.ts";
import type { Mode } from "../../src/policy/index.ts";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { bench, call, question, remove, results, type Bench } from "./harness.ts";
import { withTool } from "./one-tool.ts";
import { noEffects, sampleTools } from "./sample-tools.ts";
import { inMemory, sqliteFiles } from "./stores.ts";

const sqlite = sqliteFiles();
const steps = [
  { tool_calls: [remove("a", "c1"), call("read_file", { path: "r" }, "c2")] },
  { content: "done" },
];
const set = (one: Bench, mode: Mode) => openDesk(one.ledger).setMode(one.config.configurable.thread_id, mode);

describe.each([
  ["in memory", inMemory],
  ["on SQLite", sqlite],
] as const)("a thread's own mode %s", (_name, place) => {
  it("never rejects at once what would be asked about, and leaves all else alone", async () => {
    const one = await bench([...steps, ...steps], { stores: place() });
    await set(one, "never");
    const state = await one.ask("delete and read");
    expect(one.effects).toMatchObject({ deleted: [], read: ["r"] });
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "rejected" } });
    await set(one, "interactive");
    expect(question(await one.ask("delete and read"), "c1")).toBeDefined();
  });

  it("fail_closed ends the run once its calls are answered", async () => {
    const one = await bench([...steps, ...steps], { stores: place() });
    await set(one, "fail_closed");
    await expect(one.ask("delete and read")).rejects.toThrow(ApprovalRequiredError);
    expect(one.effects).toMatchObject({ deleted: [], read: ["r"] });
    await set(one, "interactive");
    await expect(one.ask("go on")).resolves.toBeDefined();
  });
});

describe("a thread's own mode", () => {
  it("is not asked for where policy has the strictest, and never makes that milder", async () => {
    const one = await bench(steps, { policy: { version: 1, mode: "fail_closed" } });
    await set(one, "interactive");
    await expect(one.ask("delete and read")).rejects.toThrow(ApprovalRequiredError);
  });

  it("holds for a person in process, too", async () => {
    const one = await bench(steps, { answer: approveAll() });
    await set(one, "never");
    await one.ask("delete and read");
    expect(one.effects.deleted).toEqual([]);
  });

  it("leaves a call that was approved before cleared, and holds for what an edit of it needs more", async () => {
    const yes = await bench(steps);
    const asked = question(await yes.ask("delete and read"), "c1");
    await set(yes, "never");
    await yes.resume({ [asked.id]: { type: "approve" } });
    expect(yes.effects.deleted).toEqual(["a"]);

    const edited = await bench(steps);
    const open = question(await edited.ask("delete and read"), "c1");
    await set(edited, "never");
    const pay = { type: "edit", editedAction: { name: "pay", args: { to: "x", amount: 1 } } };
    const state = await edited.resume({ [open.id]: pay });
    expect(edited.effects).toMatchObject({ deleted: [], paid: [] });
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "rejected" } });
    expect((await edited.approvals()).map(({ status }) => status)).toEqual(["edited", "rejected"]);
  });

  it("holds for the question what became of a call, whatever the tier of that", async () => {
    const one = await withTool(() => new Promise(() => undefined), { risk: { timeoutMs: 50 } });
    await set(one, "never");
    const state = await one.ask("act");
    expect(await one.pending()).toEqual([]);
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "unknown" } });
  });

  it("holds for an agent that is called as a tool", async () => {
    const effects = noEffects();
    const stores = sqlite();
    const { ledger } = await stores();
    const ask = tool(
      async () => {
        const inner = createApprovalAgent({
          model: scriptedModel([{ tool_calls: [remove("a", "c9")] }, { content: "inner done" }]),
          tools: sampleTools(effects),
          ledger,
        });
        await inner.invoke({ messages: [{ role: "user", content: "delete a" }] });
        return "asked";
      },
      { name: "ask_agent", description: "Asks an agent.", schema: z.object({}) },
    );
    const one = await bench([{ tool_calls: [call("ask_agent", {}, "c1")] }, { content: "done" }], {
      ...{ stores, ledger, tools: [withRisk(ask, "auto")] },
    });
    await set(one, "never");
    const state = await one.ask("go");
    expect(state.__interrupt__).toBeUndefined();
    expect(effects.deleted).toEqual([]);
    expect(await one.approvals()).toMatchObject([{ tool_call_id: "c9", status: "rejected" }]);
  });

  it("refuses to be lifted by whoever may only tighten it, however late somebody else tightened it", async () => {
    const one = await bench(steps);
    const desk = openDesk(one.ledger);
    const { thread_id } = one.config.configurable;
    const mine = desk.setMode(thread_id, "never", { onlyTighten: true });
    const theirs = desk.setMode(thread_id, "fail_closed", { by: { kind: "user", id: "rita" } });
    await Promise.allSettled([mine, theirs]);
    expect(await desk.mode(thread_id)).toEqual({ mode: "fail_closed", own: "fail_closed" });
    await expect(desk.setMode(thread_id, "never", { onlyTighten: true })).rejects.toMatchObject({
      code: "forbidden",
    });
  });
});
