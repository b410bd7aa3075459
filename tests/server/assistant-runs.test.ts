import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { bench, call, remove } from "./bench.ts";

const read = { tool_calls: [call("read_file", { path: "a" }, "c_read")] };
const input = { messages: [{ role: "user", content: "go" }] };
const tierOf = (name: string, tier: string) => ({ rules: [{ id: tier, tools: [name], tier }] });

async function connected(step: object = read) {
  const server = await bench([step, { content: "done" }]);
  const client = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } });
  const save = async (more: { context?: object; config?: object }) =>
    (await client.assistants.create({ graphId: "agent", ...more })).assistant_id;
  const run = async (assistant: string, more: object = {}) => {
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, assistant, { input, ...more });
    return thread_id;
  };
  return { ...server, client, save, run };
}

describe("a run of a saved assistant", () => {
  it("is under the assistant's policy, from its beginning through every resume", async () => {
    const { client, save, run, pending, effects } = await connected();
    const saved = await save({ context: { policy: tierOf("read_file", "approve") } });
    const thread_id = await run(saved);
    const [approval] = await pending(thread_id);
    expect(approval).toMatchObject({ tool: "read_file", graph_id: "agent", assistant_id: saved });
    expect(effects.read).toEqual([]);
    await client.assistants.update(saved, { context: {} });
    const command = { resume: { [approval!.approval_id]: { type: "approve" } } };
    await client.runs.wait(thread_id, saved, { command });
    expect(effects.read).toEqual(["a"]);
    expect(await client.threads.get(thread_id)).toMatchObject({ status: "idle" });
  });

  it("is not under it when another assistant of the graph is asked", async () => {
    const { save, run, pending, effects } = await connected();
    await save({ context: { policy: tierOf("read_file", "approve") } });
    await run("agent");
    expect(await pending()).toEqual([]);
    expect(effects.read).toEqual(["a"]);
  });

  it("can be decided over the API after the assistant was deleted", async () => {
    const { client, save, run, pending, post, effects } = await connected();
    const saved = await save({ context: { policy: tierOf("read_file", "approve") } });
    const thread_id = await run(saved);
    const [approval] = await pending(thread_id);
    await client.assistants.delete(saved);
    const decided = await post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
    expect(decided.status).toBe(200);
    expect(effects.read).toEqual(["a"]);
    await expect(client.runs.wait(thread_id, saved, { input })).rejects.toThrow(/assistant_not_found/);
  });

  it("goes on under the stricter policy when it is cut off by a restart", async () => {
    const { save, run, pending, restart, effects } = await connected();
    const saved = await save({ context: { policy: tierOf("read_file", "deny") } });
    await run(saved, { context: { policy: tierOf("read_file", "auto") } });
    expect(effects.read).toEqual([]);
    const asked = await save({ context: { policy: tierOf("read_file", "approve") } });
    const thread_id = await run(asked);
    const later = await restart();
    const [approval] = await later.pending(thread_id);
    await later.post(`/approvals/${approval!.approval_id}/decision?wait=10`, {
      type: "reject",
      message: "no",
    });
    expect(effects.read).toEqual([]);
    expect(await pending().catch(() => [])).toEqual([]);
  });
});

describe("what cannot relax a policy", () => {
  it("is a run's own context, over its assistant's", async () => {
    const { save, run, pending, effects } = await connected();
    const saved = await save({
      context: { policy: { ...tierOf("read_file", "approve"), default: "approve" } },
    });
    const thread_id = await run(saved, { context: { policy: tierOf("read_file", "auto") } });
    expect(await pending(thread_id)).toMatchObject([{ tool: "read_file", tier: "approve" }]);
    const closed = await save({ context: { mode: "never", policy: tierOf("read_file", "approve") } });
    const other = await run(closed, { context: { mode: "interactive" } });
    expect(await pending(other)).toEqual([]);
    expect(effects.read).toEqual([]);
  });

  it("is an assistant's context, over the graph's own policy", async () => {
    const { save, run, pending, effects } = await connected(remove("a"));
    const saved = await save({
      context: { policy: tierOf("delete_file", "auto"), mode: "interactive" },
      config: { configurable: { __pregel_strict_resume: false, countersign_refused: "no", thread_id: "x" } },
    });
    const thread_id = await run(saved);
    expect(await pending(thread_id)).toMatchObject([{ tool: "delete_file", status: "pending" }]);
    expect(effects.deleted).toEqual([]);
  });

  it("is the assistant that a resume names", async () => {
    const { client, save, run, pending, effects } = await connected();
    const saved = await save({ context: { policy: tierOf("read_file", "approve") } });
    const lax = await save({ context: { policy: tierOf("read_file", "auto") } });
    const thread_id = await run(saved);
    const [approval] = await pending(thread_id);
    const command = { resume: { [approval!.approval_id]: { type: "reject", message: "no" } } };
    await client.runs.wait(thread_id, lax, { command, context: { policy: tierOf("read_file", "auto") } });
    expect(effects.read).toEqual([]);
  });
});
