import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createApprovalAgent,
  decide,
  openDesk,
  openLedger,
  scriptedModel,
  workspaceTools,
} from "../../src/index.ts";

let root = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "countersign-remembered-paths-"));
});
afterAll(() => rmSync(root, { recursive: true }));

const config = { configurable: { thread_id: "t1" } };
const within = (folder: string) => ({ scope: "thread", match: { path: { within: folder } } });

/** An agent that writes one path after the other, each for a message of the user. */
async function writing(...paths: string[]) {
  const ledger = await openLedger("memory:");
  const steps = paths.flatMap((path, index) => [
    { tool_calls: [{ id: `c${index}`, name: "write_file", args: { path, content: "x" } }] },
    { content: "done" },
  ]);
  const graph = createApprovalAgent({
    ...{ ledger, model: scriptedModel(steps), tools: workspaceTools(root), checkpointer: new MemorySaver() },
  });
  const desk = openDesk(ledger);
  return {
    async ask() {
      await graph.invoke({ messages: [new HumanMessage("write")] }, config);
      return (await desk.list()).approvals.at(0);
    },
    decide: (approval_id: string, decision: object) => decide(graph, config, { [approval_id]: decision }),
  };
}

it("a decision about a folder is remembered by where paths lead, and decides what lies there alone", async () => {
  const one = await writing("build/a.txt", "build/../src/b.txt", "build/sub/c.txt");
  const first = await one.ask();
  await one.decide(first!.approval_id, { type: "approve", remember: within("build/") });
  const second = await one.ask();
  expect(second?.args).toMatchObject({ path: "build/../src/b.txt" });
  await one.decide(second!.approval_id, { type: "reject" });
  expect(await one.ask()).toBeUndefined();
});

it("a decision is not remembered by a folder that the call does not lie in, or after an edit of its path", async () => {
  const one = await writing("build/../src/b.txt");
  const { approval_id } = (await one.ask())!;
  const edited = { type: "edit", args: { path: "build/a.txt", content: "x" }, remember: within("build/") };
  for (const decision of [{ type: "approve", remember: within("build/") }, edited])
    await expect(one.decide(approval_id, decision)).rejects.toMatchObject({
      code: "invalid_decision",
      message: expect.stringContaining("does not hold of this very call") as string,
    });
  await one.decide(approval_id, { type: "approve", remember: within("src/") });
});
