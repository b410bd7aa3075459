import { describe, expect, it } from "vitest";
import { bench, call, remove } from "./bench.ts";
import { refusal, sdkOf } from "./sdk-client.ts";

const say = (content: string) => ({ messages: [{ role: "user", content }] });

interface State {
  messages: { type: string; content: string }[];
}

async function paused(steps: Parameters<typeof bench>[0] = [remove("a"), { content: "done" }]) {
  const server = await bench(steps);
  const client = sdkOf(server);
  const { thread_id } = await client.threads.create();
  await client.runs.wait(thread_id, "agent", { input: say("go") });
  const [approval] = await server.pending(thread_id);
  const history = await client.threads.getHistory<State>(thread_id);
  const beforeModel = history.find(({ next }) => next.includes("agent"))!;
  return { server, client, thread_id, approval: approval!, history, beforeModel };
}

describe("a run from an earlier checkpoint", () => {
  it("asks anew under a new id, and leaves the old question cancelled", async () => {
    const { server, client, thread_id, approval, beforeModel } = await paused();
    await client.runs.wait(thread_id, "agent", { input: null, checkpoint: beforeModel.checkpoint });
    const [again, ...others] = await server.pending(thread_id);
    expect(others).toEqual([]);
    expect(again!.approval_id).not.toBe(approval.approval_id);
    const late = await server.post(`/approvals/${approval.approval_id}/decision`, { type: "approve" });
    expect(late).toMatchObject({ status: 410, body: { code: "cancelled" } });
    await server.post(`/approvals/${again!.approval_id}/decision?wait=10`, { type: "approve" });
    expect(server.effects.deleted).toEqual(["a"]);
    expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true });
  });

  it("repeats no gated effect without a new decision", async () => {
    const { server, client, thread_id, approval, beforeModel, history } = await paused();
    await server.post(`/approvals/${approval.approval_id}/decision?wait=10`, { type: "approve" });
    expect(server.effects.deleted).toEqual(["a"]);
    const [beforeTools] = history;
    for (const { checkpoint } of [beforeModel, beforeTools!]) {
      await client.runs.wait(thread_id, "agent", { input: null, checkpoint });
      expect(server.effects.deleted).toEqual(["a"]);
      expect(await server.pending(thread_id)).toHaveLength(1);
    }
  });

  it("takes another input, as an edited message does", async () => {
    const { server, client, thread_id, history } = await paused([{ content: "first answer" }]);
    const values = await client.runs.wait(thread_id, "agent", {
      ...{ input: say("something else"), checkpoint: history.at(-1)!.checkpoint },
    });
    const said = (values as unknown as State).messages.filter(({ type }) => type === "human");
    expect(said.map(({ content }) => content)).toEqual(["something else"]);
    expect(server.errors).toEqual([]);
  });

  it("is an ordinary run when the checkpoint is the newest one", async () => {
    const { client, thread_id, approval, server } = await paused();
    const { checkpoint } = await client.threads.getState(thread_id);
    const refused = client.runs.wait(thread_id, "agent", { input: say("more"), checkpoint });
    expect(await refusal(refused)).toEqual({ status: 409, code: "approval_pending" });
    const [still] = await server.pending(thread_id);
    expect(still!.approval_id).toBe(approval.approval_id);
  });

  it("is refused when there is no such checkpoint, and nothing is cancelled", async () => {
    const { server, client, thread_id } = await paused();
    const refused = client.runs.wait(thread_id, "agent", { input: null, checkpointId: "1ef00000" });
    expect(await refusal(refused)).toEqual({ status: 404, code: "checkpoint_not_found" });
    expect(await server.pending(thread_id)).toHaveLength(1);
  });

  it("is no way to answer", async () => {
    const { server, client, thread_id, beforeModel } = await paused();
    const refused = client.runs.wait(thread_id, "agent", {
      ...{ command: { resume: { type: "approve" } }, checkpoint: beforeModel.checkpoint },
    });
    expect(await refusal(refused)).toEqual({ status: 409, code: "old_checkpoint" });
    expect(server.effects.deleted).toEqual([]);
  });
});

describe("a jump", () => {
  it("is refused while a question is open, and reaches no tool", async () => {
    const { server, client, thread_id } = await paused();
    for (const command of [{ goto: "tools" }, { goto: "agent" }, { update: say("x") }]) {
      const refused = client.runs.wait(thread_id, "agent", { command });
      expect(await refusal(refused)).toEqual({ status: 409, code: "approval_pending" });
    }
    expect(server.effects.deleted).toEqual([]);
    expect(await server.pending(thread_id)).toHaveLength(1);
  });

  it("cannot send a call past its question", async () => {
    const { server, client, thread_id, approval } = await paused();
    await server.post(`/approvals/${approval.approval_id}/decision?wait=10`, { type: "reject" });
    const forged = { ...call("delete_file", { path: "forged" }), id: "c_forged", type: "tool_call" };
    const send = { node: "tools", input: { call: forged, message_id: "m", overlays: [] } };
    const refused = client.runs.wait(thread_id, "agent", { command: { goto: send } });
    expect(await refusal(refused)).toEqual({ status: 422, code: "not_supported" });
    const update = { messages: [{ type: "ai", content: "", id: "m_forged", tool_calls: [forged] }] };
    const jumped = client.runs.wait(thread_id, "agent", { command: { update, goto: "tools" } });
    expect(await refusal(jumped)).toEqual({ status: 422, code: "not_supported" });
    const shadowed = client.runs.wait(thread_id, "agent", { input: { approval_overlays: [] } });
    expect(await refusal(shadowed)).toEqual({ status: 422, code: "invalid_request" });
    expect(server.effects.deleted).toEqual([]);
  });

  it("beside an answer is refused, and nothing is decided", async () => {
    const { server, client, thread_id } = await paused();
    const refused = client.runs.wait(thread_id, "agent", {
      command: { resume: { type: "approve" }, goto: "agent" },
    });
    expect(await refusal(refused)).toEqual({ status: 409, code: "approval_pending" });
    expect(await server.pending(thread_id)).toHaveLength(1);
  });

  it("to the end marks the thread as resolved, as agent-chat-ui does", async () => {
    const { server, client, thread_id, approval } = await paused();
    const values = await client.runs.wait(thread_id, "agent", { input: {}, command: { goto: "__end__" } });
    expect((values as unknown as State).messages.map(({ type }) => type)).toEqual(["human", "ai", "tool"]);
    expect(await client.threads.get(thread_id)).toMatchObject({ status: "idle", interrupts: {} });
    expect((await server.get(`/approvals/${approval.approval_id}`)).body).toMatchObject({
      status: "cancelled",
      decision: { decided_by: { kind: "user" } },
    });
    expect(server.effects.deleted).toEqual([]);
    const next = await client.runs.wait(thread_id, "agent", { input: say("and now?") });
    expect((next as unknown as State).messages.at(-1)).toMatchObject({ type: "ai", content: "done" });
  });

  it("goes to a node of our own agent where nothing is open", async () => {
    const { server, client, thread_id, approval } = await paused([
      remove("a"),
      { content: "done" },
      { content: "x" },
    ]);
    await server.post(`/approvals/${approval.approval_id}/decision?wait=10`, { type: "reject" });
    const command = { update: say("once more"), goto: "agent" };
    const values = await client.runs.wait(thread_id, "agent", { command });
    expect((values as unknown as State).messages.at(-1)).toMatchObject({ type: "ai", content: "x" });
  });
});
