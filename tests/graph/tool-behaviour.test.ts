import { DynamicStructuredTool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { withRisk } from "../../src/graph/index.ts";
import { bench, call, question, results } from "./harness.ts";
import { withTool } from "./one-tool.ts";

describe("a tool that throws after approval", () => {
  it("gives its error to the model, and its approval is used up", async () => {
    let runs = 0;
    const one = await withTool(
      () => {
        runs += 1;
        throw new Error("disk full");
      },
      { tier: "approve" },
    );
    const asked = question(await one.ask("act"), "c1");
    const state = await one.resume({ type: "approve" });
    expect(results(state)["c1"]).toMatchObject({
      status: "error",
      artifact: { outcome: "failed", execution: "failed" },
    });
    expect(results(state)["c1"]?.content).toContain("disk full");
    await one.resume({ [asked.id]: { type: "approve" } });
    await one.resume({ [asked.id]: { type: "reject" } });
    await one.goOn();
    expect(runs).toBe(1);
    expect(await one.approvals()).toMatchObject([{ status: "approved", execution: { state: "failed" } }]);
  });

  it.each([["a text"], [null], [undefined], [{ code: 7 }]])(
    "may throw %j, which is no error",
    async (thrown) => {
      const one = await withTool(() => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- that is what is tested
        throw thrown;
      });
      const state = await one.ask("act");
      expect(results(state)["c1"]).toMatchObject({ status: "error", artifact: { outcome: "failed" } });
    },
  );

  it("is tried again inside the one execution when its author says so", async () => {
    let runs = 0;
    const body = (): string => {
      runs += 1;
      if (runs < 3) throw new Error("busy");
      return "at last";
    };
    const one = await withTool(body, { tier: "approve", risk: { idempotent: true, retries: 2 } });
    await one.ask("act");
    const state = await one.resume({ type: "approve" });
    expect(results(state)["c1"]?.content).toBe("at last");
    expect(runs).toBe(3);
    expect(await one.approvals()).toHaveLength(1);
    const started = (await one.events()).filter(({ type }) => type === "execution_started");
    expect(started).toHaveLength(1);
  });

  it("is not tried again otherwise", async () => {
    let runs = 0;
    const one = await withTool(() => {
      runs += 1;
      throw new Error("busy");
    });
    await one.ask("act");
    expect(runs).toBe(1);
  });
});

describe("a tool's own time", () => {
  it("does not count while a person thinks", async () => {
    let now = 0;
    const one = await withTool(() => "quick", { tier: "approve", risk: { timeoutMs: 50 }, clock: () => now });
    await one.ask("act");
    now += 60_000;
    const state = await one.resume({ type: "approve" });
    expect(results(state)["c1"]?.content).toBe("quick");
  });

  it("ends a tool that stops when told to, as failed", async () => {
    const stops = new DynamicStructuredTool({
      name: "act",
      description: "Acts.",
      schema: z.object({}),
      func: (_args, _manager, config) =>
        new Promise((_, reject) => {
          config?.signal?.addEventListener("abort", () => reject(new Error("I stopped.")));
        }),
    });
    const one = await bench([{ tool_calls: [call("act", {}, "c1")] }, { content: "done" }], {
      tools: [withRisk(stops, "auto", { timeoutMs: 30 })],
    });
    const state = await one.ask("act");
    expect(results(state)["c1"]).toMatchObject({ status: "error", artifact: { outcome: "failed" } });
    expect(results(state)["c1"]?.content).toContain("did not end within 0.03 s and was stopped");
  });

  it("takes a result that comes although it was told to stop", async () => {
    const late = new DynamicStructuredTool({
      name: "act",
      description: "Acts.",
      schema: z.object({}),
      func: (_args, _manager, config) =>
        new Promise<string>((resolve) => {
          config?.signal?.addEventListener("abort", () => resolve("half of it"));
        }),
    });
    const one = await bench([{ tool_calls: [call("act", {}, "c1")] }, { content: "done" }], {
      tools: [withRisk(late, "auto", { timeoutMs: 30 })],
    });
    expect(results(await one.ask("act"))["c1"]).toMatchObject({ content: "half of it" });
  });

  it("makes a tool that does not stop unknown, and asks what happened", async () => {
    let runs = 0;
    const one = await withTool(
      () => {
        runs += 1;
        return runs === 1 ? new Promise(() => undefined) : "second time";
      },
      { risk: { timeoutMs: 30 } },
    );
    const state = await one.ask("act");
    expect(question(state, "c1").value.approval).toMatchObject({ kind: "outcome" });
    expect(await one.pending()).toMatchObject([
      { kind: "outcome", allowed_decisions: ["approve", "reject", "respond"] },
    ]);
    const end = await one.resume({ type: "approve" });
    expect(results(end)["c1"]?.content).toBe("second time");
    expect(runs).toBe(2);
  });

  it("makes a safe tool that does not stop unknown without asking", async () => {
    const one = await withTool(() => new Promise(() => undefined), {
      risk: { timeoutMs: 30, readOnly: true },
    });
    const state = await one.ask("act");
    expect(results(state)["c1"]).toMatchObject({ status: "error", artifact: { outcome: "unknown" } });
    expect(await one.pending()).toEqual([]);
  });
});
