import { describe, expect, it } from "vitest";
import { bench, call } from "./harness.ts";

const removeOld = { tool_calls: [call("delete_file", { path: "old.md" }, "c1")] };

describe("an approval agent", () => {
  it("has no effect before a decision", async () => {
    const { ask, effects, pending } = await bench([removeOld]);
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
  });

  it("runs the tool once after approval", async () => {
    const { ask, resume, effects, pending } = await bench([removeOld, { content: "done" }]);
    await ask("delete old.md");
    const state = await resume({ type: "approve" });
    expect(effects.deleted).toEqual(["old.md"]);
    expect(state.__interrupt__).toBeUndefined();
    expect(state.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
    expect(await pending()).toEqual([]);
  });

  it("does not run the tool after a rejection", async () => {
    const { ask, resume, effects } = await bench([removeOld, { content: "ok" }]);
    await ask("delete old.md");
    const state = await resume({ type: "reject", message: "keep it" });
    expect(effects.deleted).toEqual([]);
    expect(state.messages[2]).toMatchObject({
      status: "error",
      artifact: { outcome: "rejected", execution: "none" },
    });
    expect(state.messages[2]?.content).toContain("keep it");
  });
});
