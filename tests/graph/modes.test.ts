import { assertProviderValid } from "../../src/models/index.ts";
import { describe, expect, it } from "vitest";
import { ApprovalRequiredError } from "../../src/graph/index.ts";
import { bench, call, question, remove, results, type State } from "./harness.ts";
import { sqliteFiles } from "./stores.ts";

const sqlite = sqliteFiles();
const turn = { tool_calls: [remove("a", "c1"), call("read_file", { path: "r" }, "c2")] };
const steps = [turn, { content: "done" }];

describe("the mode never", () => {
  it("rejects at once what needs an approval, by policy, and asks nobody", async () => {
    const one = await bench(steps, { policy: { version: 1, mode: "never" } });
    const state = await one.ask("delete and read");
    expect(state.__interrupt__).toBeUndefined();
    expect(one.effects).toMatchObject({ deleted: [], read: ["r"] });
    expect(results(state)["c1"]).toMatchObject({ status: "error", artifact: { outcome: "rejected" } });
    expect(await one.approvals()).toMatchObject([
      { status: "rejected", decision: { decided_by: { kind: "policy" } } },
    ]);
  });

  it("also does so where only an answer was allowed, or a reason is required", async () => {
    const review = { decisions: ["respond" as const, "reject" as const], requireReason: ["reject" as const] };
    const one = await bench(steps, { policy: { version: 1, mode: "never", review } });
    const state = await one.ask("delete and read");
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "rejected" } });
  });
});

describe("the mode fail_closed", () => {
  it("answers the calls and then ends the run", async () => {
    const one = await bench(steps, { stores: sqlite(), policy: { version: 1, mode: "fail_closed" } });
    await expect(one.ask("delete and read")).rejects.toThrow(ApprovalRequiredError);
    await expect(one.ask("again")).resolves.toMatchObject({});
    expect(one.effects).toMatchObject({ deleted: [], read: ["r"] });
    const { messages } = (await one.graph.getState(one.config as never)).values as State;
    expect(() => assertProviderValid(messages as never)).not.toThrow();
    expect(await one.approvals()).toMatchObject([
      { status: "unavailable", decision: { decided_by: { kind: "policy" } } },
    ]);
  });

  it("names the tools that needed an approval", async () => {
    const one = await bench(steps, { policy: { version: 1, mode: "fail_closed" } });
    await expect(one.ask("delete and read")).rejects.toMatchObject({
      code: "approval_required",
      tools: ["delete_file"],
    });
  });

  it("does not end a run that needs no approval", async () => {
    const one = await bench([{ tool_calls: [call("read_file", { path: "r" }, "c1")] }, { content: "done" }], {
      policy: { version: 1, mode: "fail_closed" },
    });
    expect((await one.ask("read")).messages.at(-1)?.content).toBe("done");
  });
});

describe("a graph without a checkpointer", () => {
  it("cannot wait, so what needs an approval is unavailable", async () => {
    const one = await bench(steps, { checkpointer: false });
    const state = await one.ask("delete and read");
    expect(one.effects).toMatchObject({ deleted: [], read: ["r"] });
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "unavailable" } });
  });
});

describe("a policy in the context of a run", () => {
  const denyDeleting = { rules: [{ id: "no-deleting", tools: ["delete_file"], tier: "deny" }] };
  const askReading = { rules: [{ id: "ask-reading", tools: ["read_file"], tier: "approve" }] };

  it("tightens the run", async () => {
    const one = await bench(steps);
    const state = await one.ask("delete and read", { context: { policy: denyDeleting } });
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "denied" } });
    expect(state.messages.at(-1)?.content).toBe("done");
  });

  it("does not tighten the next run", async () => {
    const one = await bench([turn, { content: "done" }, turn, { content: "done" }]);
    await one.ask("delete and read", { context: { policy: denyDeleting } });
    const state = await one.ask("delete and read");
    expect(question(state, "c1")).toBeDefined();
  });

  it.each([[undefined], [{}]])("holds through a resume that brings %j", async (context) => {
    const later = { tool_calls: [call("read_file", { path: "s" }, "c3")] };
    const one = await bench([turn, later, { content: "done" }], { stores: sqlite() });
    const first = await one.ask("delete and read", { context: { policy: askReading } });
    expect(first.__interrupt__).toHaveLength(2);
    const two = await one.reopened();
    const answers = {
      [question(first, "c1").id]: { type: "reject" },
      [question(first, "c2").id]: { type: "approve" },
    };
    const second = await two.resume(answers, context === undefined ? {} : { context });
    expect(two.effects.read).toEqual(["r"]);
    expect(question(second, "c3").value.approval.rules).toEqual(["ask-reading"]);
  });

  it("of a resume adds to what the run began with, from the call that is resumed on", async () => {
    const one = await bench(steps);
    const asked = question(await one.ask("delete and read"), "c1");
    const state = await one.resume(
      { [asked.id]: { type: "approve" } },
      { context: { policy: denyDeleting } },
    );
    expect(one.effects.deleted).toEqual([]);
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "denied", execution: "blocked" } });
  });

  it.each([
    ["a weaker tier", { policy: { rules: [{ id: "x", tools: ["delete_file"], tier: "auto" }] } }],
    ["a weaker default", { policy: { default: "auto" } }],
    ["a weaker mode", { mode: "interactive" }],
  ])("does not relax with %s", async (_case, context) => {
    const one = await bench(steps, { policy: { version: 1, mode: "never" } });
    const state = await one.ask("delete and read", { context });
    expect(one.effects.deleted).toEqual([]);
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "rejected" } });
  });

  it("may set a stricter mode alone", async () => {
    const one = await bench(steps);
    const state = await one.ask("delete and read", { context: { mode: "never" } });
    expect(results(state)["c1"]).toMatchObject({ artifact: { outcome: "rejected" } });
  });

  it.each([
    ["an unknown key", { policy: { tiers: [] } }],
    ["a misspelt tier", { policy: { default: "aprove" } }],
    ["a text", { policy: "deny everything" }],
    ["a misspelt mode", { mode: "nevr" }],
  ])("that has %s is refused, and nothing runs", async (_case, context) => {
    const one = await bench(steps);
    await expect(one.ask("delete and read", { context })).rejects.toThrow();
    expect(one.effects).toMatchObject({ deleted: [], read: [] });
  });

  it("cannot be replaced through the state by something weaker than the base", async () => {
    const one = await bench(steps);
    const approval_overlays = [
      { default: "auto", rules: [{ id: "x", tools: ["delete_file"], tier: "auto" }] },
    ];
    const input = { messages: [{ role: "user", content: "delete and read" }], approval_overlays };
    const state = (await one.graph.invoke(input, one.config as never)) as unknown as State;
    expect(question(state, "c1")).toBeDefined();
    expect(one.effects.deleted).toEqual([]);
  });
});
