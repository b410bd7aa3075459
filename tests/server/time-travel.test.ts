import type { Client, ThreadState } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { bench, remove, runOf, textOf, until, type Bench } from "./bench.ts";
import { refusal, sdkOf } from "./sdk-client.ts";

const STEPS = [remove("a"), { content: "done" }, { content: "more" }, { content: "even more" }];
const approve = { type: "approve" };

interface Travel {
  server: Bench;
  client: Client;
  thread_id: string;
  /** The states that the thread was in, the oldest first. */
  history: () => Promise<ThreadState[]>;
  statuses: () => Promise<string[]>;
}

async function paused(): Promise<Travel> {
  const server = await bench(STEPS);
  const client = sdkOf(server);
  const { thread_id } = await server.begin();
  return {
    ...{ server, client, thread_id },
    history: async () => (await client.threads.getHistory(thread_id, { limit: 100 })).toReversed(),
    async statuses() {
      const { body } = await server.get(`/approvals?thread_id=${thread_id}&status=all`);
      return (body["approvals"] as unknown as { status: string }[]).map(({ status }) => status);
    },
  };
}

async function decided(): Promise<Travel & { approval_id: string }> {
  const travel = await paused();
  const [question] = await travel.server.pending(travel.thread_id);
  await travel.server.post(`/approvals/${question!.approval_id}/decision?wait=20`, approve);
  expect(travel.server.effects.deleted).toEqual(["a"]);
  return { ...travel, approval_id: question!.approval_id };
}

const isBefore = ({ next }: ThreadState): boolean => next.includes("agent") || next.includes("__start__");

describe("time travel", () => {
  it("to before an approval asks again under a new id, and what was decided stays decided", async () => {
    const { server, client, thread_id, history, statuses, approval_id } = await decided();
    const before = (await history()).find(({ next }) => next.includes("agent"));
    await client.runs.wait(thread_id, "agent", {
      input: null,
      checkpointId: before!.checkpoint.checkpoint_id!,
    });
    const [question] = await server.pending(thread_id);
    expect(question?.approval_id).not.toBe(approval_id);
    expect(await statuses()).toEqual(["approved", "pending"]);
    expect(server.effects.begun).toBe(1);
    const late = await server.post(`/approvals/${approval_id}/decision`, approve);
    expect(late).toMatchObject({ status: 409, body: { code: "already_decided" } });
    expect(server.effects.begun).toBe(1);
  });

  it("to where it was asked, too", async () => {
    const { server, client, thread_id, history } = await decided();
    const asking = (await history()).find(({ next }) => next.includes("tools"));
    await client.runs.wait(thread_id, "agent", {
      input: null,
      checkpointId: asking!.checkpoint.checkpoint_id!,
    });
    expect(await server.pending(thread_id)).toHaveLength(1);
    expect(server.effects.begun).toBe(1);
  });

  it("to after it repeats nothing", async () => {
    const { server, client, thread_id, history, statuses } = await decided();
    const states = await history();
    const asked = states.findIndex(({ next }) => next.includes("tools"));
    for (const { checkpoint } of states.slice(asked + 1)) {
      await client.runs.wait(thread_id, "agent", { input: null, checkpointId: checkpoint.checkpoint_id! });
      expect(await statuses()).toEqual(["approved"]);
    }
    expect(server.effects.begun).toBe(1);
  });

  it("ends the open question of the branch that it leaves, whose old button is told so", async () => {
    const { server, client, thread_id, history, statuses } = await paused();
    const [left] = await server.pending(thread_id);
    const before = (await history()).find(isBefore);
    await client.runs.wait(thread_id, "agent", {
      input: null,
      checkpointId: before!.checkpoint.checkpoint_id!,
    });
    expect((await statuses()).toSorted()).toEqual(["cancelled", "pending"]);
    const late = await server.post(`/approvals/${left!.approval_id}/decision`, approve);
    expect(late).toMatchObject({ status: 410, body: { code: "cancelled" } });
    expect(server.effects.begun).toBe(0);
  });
});

describe("what ends an open question", () => {
  const ends: Record<string, (travel: Travel) => Promise<unknown>> = {
    async "a run that is cancelled"({ client, thread_id }) {
      const [run] = await client.runs.list(thread_id);
      await client.runs.cancel(thread_id, run!.run_id, true);
    },
    "a thread that is deleted": ({ client, thread_id }) => client.threads.delete(thread_id),
    async "a question that is withdrawn"({ server, thread_id }) {
      const [question] = await server.pending(thread_id);
      await server.remove(`/approvals/${question!.approval_id}?wait=20`);
    },
  };

  it.each(Object.keys(ends))(
    "%s leaves it cancelled, with its row, and an old button is told so",
    async (name) => {
      const travel = await paused();
      const { server, thread_id, statuses } = travel;
      const [question] = await server.pending(thread_id);
      await ends[name]!(travel);
      // What is asked for by a thread that is gone names nothing.
      if (name !== "a thread that is deleted") expect(await statuses()).toEqual(["cancelled"]);
      const { body } = await server.get(`/audit?thread_id=${thread_id}`);
      const events = body["events"] as unknown as { type: string }[];
      expect(events.filter(({ type }) => type === "approval_resolved")).toHaveLength(1);
      const late = await server.post(`/approvals/${question!.approval_id}/decision`, approve);
      expect([409, 410]).toContain(late.status);
      expect(textOf(late.body["code"])).toMatch(/cancelled|already_decided|erased/);
      expect(server.effects.begun).toBe(0);
      expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true });
    },
  );

  it("leaves a cancelled run's thread idle, and a message sent after it is kept and answered", async () => {
    const travel = await paused();
    await ends["a run that is cancelled"]!(travel);
    const { server, thread_id, client } = travel;
    expect((await client.threads.get(thread_id)).status).toBe("idle");
    const { status, body } = await server.post(`/threads/${thread_id}/runs/wait`, runOf("and now?"));
    expect(status).toBe(200);
    const messages = body["messages"] as unknown as { type: string; content: string }[];
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "human", "ai"]);
    expect(messages[3]).toMatchObject({ content: "and now?" });
    expect(server.effects.begun).toBe(0);
  });

  it("waits for the tool of a run that was cancelled, and does not run it again", async () => {
    const { server, client, thread_id } = await paused();
    let open = (): void => undefined;
    server.effects.gate = new Promise((resolve) => (open = resolve));
    const [question] = await server.pending(thread_id);
    await server.post(`/approvals/${question!.approval_id}/decision`, approve);
    await until(() => server.effects.begun === 1);
    const [run] = await client.runs.list(thread_id);
    await client.runs.cancel(thread_id, run!.run_id, false);
    await until(async () => (await client.threads.get(thread_id)).status !== "busy").catch(() => undefined);
    const during = client.runs.wait(thread_id, "agent", {
      input: { messages: [{ role: "user", content: "hi" }] },
    });
    const outcome = refusal(during).catch(() => ({ status: 200, code: "" }));
    open();
    const { status, code } = await outcome;
    if (status !== 200) expect({ status, code }).toEqual({ status: 409, code: "thread_busy" });
    await until(async () => {
      const { body } = await server.get(`/approvals/${question!.approval_id}`);
      return ["succeeded", "unknown", "failed"].includes(textOf(body["execution"]?.["state"]));
    });
    expect(server.effects.begun).toBe(1);
  });
});
