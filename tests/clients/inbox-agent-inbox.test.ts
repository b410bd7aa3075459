import { describe, expect, it } from "vitest";
import { listOf } from "../server/bench.ts";
import type { Foreign } from "../server/foreign.ts";
import { refusal } from "../server/sdk-client.ts";
import type { Values } from "../server/thread-bench.ts";
import { AgentInbox } from "./agent-inbox.ts";
import { ours, together } from "./payments.ts";

const one = ["ann"];
const three = ["ann", "bob", "cy"];

/** Agent Inbox before a thread that waits. */
async function opened(server: Foreign, isOlder: boolean) {
  const { client, done, get } = server;
  const thread_id = await server.go();
  const inbox = new AgentInbox(client, isOlder);
  return {
    ...{ server, inbox, thread_id, done },
    told: async () => (await client.threads.getState<Values>(thread_id)).values.messages,
    decided: async () => {
      const { body } = await get(`/approvals?status=all&thread_id=${thread_id}`);
      return listOf(body["approvals"]).map(({ status, decision }) => ({ status, ...(decision as object) }));
    },
  };
}

describe.each([
  ["Agent Inbox", false],
  ["an Agent Inbox that knows its own form only", true],
])("%s", (_name, isOlder) => {
  const paused = async (names = one, policy?: typeof together) => opened(await ours(names, policy), isOlder);

  it("lists the thread and draws what is asked", async () => {
    const { inbox, thread_id } = await paused();
    expect((await inbox.list()).map((thread) => thread.thread_id)).toEqual([thread_id]);
    expect(await inbox.open(thread_id)).toEqual({
      ...{ action: "pay", args: { to: "ann", amount: 10 }, isHitl: true },
      allows: { accept: true, edit: true, respond: true },
      description: expect.stringContaining("pay") as string,
    });
  });

  it.each([
    ["untouched", {}],
    ["with a number touched and put back", { amount: "10" }],
  ])("accepts a call %s, and shows which nodes run", async (_how, texts) => {
    const { inbox, thread_id, done, decided } = await paused();
    const events = (await inbox.accept(thread_id, texts)) as {
      event: string;
      data: { event?: string; metadata?: { langgraph_node?: string } };
    }[];
    expect(done.paid).toEqual([{ to: "ann", amount: 10 }]);
    expect(await decided()).toMatchObject([{ status: "approved", decided_by: { kind: "user" } }]);
    const started = events.filter(({ data }) => data?.event === "on_chain_start");
    expect(started.map(({ data }) => data.metadata?.langgraph_node)).toEqual(
      expect.arrayContaining(["tools", "agent"]),
    );
    expect(await inbox.list()).toEqual([]);
  });

  it("edits a number, which arrives as a text and is paid as a number", async () => {
    const { inbox, thread_id, done, decided } = await paused();
    await inbox.edit(thread_id, { amount: "3.5" });
    expect(done.paid).toEqual([{ to: "ann", amount: 3.5 }]);
    expect(await decided()).toMatchObject([{ status: "edited", args: { to: "ann", amount: 3.5 } }]);
  });

  it("is refused an edit to what is no number, and still shows the question", async () => {
    const { inbox, thread_id, done } = await paused();
    const refused = await refusal(inbox.edit(thread_id, { amount: "three" }));
    expect(refused).toEqual({ status: 422, code: "invalid_decision" });
    await expect(inbox.edit(thread_id, { amount: "three" })).rejects.toThrow(
      /do not fit the tool's schema.*args\.amount.*still pending/,
    );
    expect(done.paid).toEqual([]);
    expect(await inbox.open(thread_id)).toMatchObject({ args: { amount: 10 } });
  });

  it("responds, which rejects the call and tells the model why", async () => {
    const { inbox, thread_id, done, decided, told } = await paused();
    await inbox.respond(thread_id, "Too much.");
    expect(done.paid).toEqual([]);
    expect(await decided()).toMatchObject([{ status: "rejected", message: "Too much." }]);
    expect((await told()).at(-2)).toMatchObject({
      ...{ type: "tool", status: "error", content: expect.stringContaining("Too much.") as string },
    });
  });

  it("ignores, which rejects the call without a word", async () => {
    const { inbox, thread_id, done, decided } = await paused();
    await inbox.ignore(thread_id);
    expect(done.paid).toEqual([]);
    const [decision] = await decided();
    expect(decision).toMatchObject({ status: "rejected" });
    expect(decision).not.toHaveProperty("message");
    expect(await inbox.list()).toEqual([]);
  });

  it("marks the thread as resolved, which withdraws the question for good", async () => {
    const { inbox, thread_id, done, decided, told } = await paused(three);
    await inbox.resolve(thread_id);
    expect(await inbox.list()).toEqual([]);
    expect(await decided()).toMatchObject([{ status: "cancelled", decided_by: { kind: "user" } }]);
    expect((await told()).map(({ type }) => type)).toEqual(["human", "ai", "tool", "tool", "tool"]);
    expect(done.paid).toEqual([]);
  });

  it("answers three calls one after the other, each for itself", async () => {
    const { inbox, thread_id, done, decided } = await paused(three);
    const shown: unknown[] = [];
    const look = async () => shown.push((await inbox.open(thread_id))?.args["to"]);
    await look();
    await inbox.accept(thread_id);
    await look();
    await inbox.edit(thread_id, { amount: "5" });
    await look();
    await inbox.respond(thread_id, "Not cy.");
    expect(shown).toEqual(three);
    expect(done.paid).toEqual([
      { to: "ann", amount: 10 },
      { to: "bob", amount: 5 },
    ]);
    const statuses = (await decided()).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual(["approved", "edited", "rejected"]);
    expect(await inbox.list()).toEqual([]);
  });

  it("cannot answer three calls that are asked together, and is told how it could", async () => {
    const { inbox, thread_id, done, server } = await paused(three, together);
    await expect(inbox.respond(thread_id, "No.")).rejects.toThrow(/names none of them.*one-by-one/);
    expect(await refusal(inbox.accept(thread_id))).toEqual({ status: 409, code: "ambiguous" });
    expect(await server.pending(thread_id)).toHaveLength(3);
    expect(done.paid).toEqual([]);
  });

  it("that still shows an older call cannot accept the one that is asked about by now", async () => {
    const { inbox, thread_id, done } = await paused(three);
    const stale = await inbox.open(thread_id);
    await inbox.accept(thread_id);
    const { action, args } = stale!;
    const late = inbox.send(thread_id, { type: "accept", args: { action, args } });
    await expect(late).rejects.toThrow(/approves what is not asked about.*Read the question again/);
    expect(done.paid).toEqual([{ to: "ann", amount: 10 }]);
    expect(await inbox.open(thread_id)).toMatchObject({ args: { to: "bob" } });
  });
});
