import { describe, expect, it } from "vitest";
import { listOf } from "../server/bench.ts";
import { asking, foreign, type Done, type Foreign } from "../server/foreign.ts";
import { refusal } from "../server/sdk-client.ts";
import { AgentChat, isDrawn } from "./agent-chat.ts";
import { AgentInbox } from "./agent-inbox.ts";
import { langchains } from "./payments.ts";

const args = { to: "ann", amount: 10 };
const description = "Pay ann?";

/** The request of the older inboxes. */
const older = {
  action_request: { action: "pay", args },
  config: { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true },
  description,
};

/** LangChain's request, as it is spelt in Python. */
const python = {
  action_requests: [{ name: "pay", args, description }],
  review_configs: [{ action_name: "pay", allowed_decisions: ["approve", "edit", "reject"] }],
};

async function opened(server: Foreign) {
  const { client, done, get, statusOf } = server;
  const thread_id = await server.go({ messages: [{ role: "user", content: "go" }] });
  return {
    ...{ done, thread_id, server, inbox: new AgentInbox(client), chat: new AgentChat(client, thread_id) },
    status: () => statusOf(thread_id),
    decided: async () => {
      const { body } = await get(`/approvals?status=all&thread_id=${thread_id}`);
      return listOf(body["approvals"]).map(({ status }) => status as unknown as string);
    },
  };
}

const asks = (question: unknown) => foreign((done: Done) => asking(done, { ask: [question] })).then(opened);

describe("a graph that asks in the form of the older inboxes", () => {
  it("is drawn by Agent Inbox, and as JSON by agent-chat-ui", async () => {
    const { inbox, thread_id, chat } = await asks(older);
    expect(await inbox.open(thread_id)).toEqual({
      ...{ action: "pay", args, description, isHitl: false },
      allows: { accept: true, edit: true, respond: true },
    });
    expect((await chat.tabs()).map(isDrawn)).toEqual([false]);
  });

  it.each([
    ["accept", { action: "pay", args }, { type: "accept", args: null }, "approved"],
    [
      "edit",
      { action: "pay", args: { ...args, amount: "3" } },
      { type: "edit", args: { action: "pay", args: { ...args, amount: 3 } } },
      "edited",
    ],
    ["response", "Later.", { type: "response", args: "Later." }, "responded"],
    ["ignore", null, { type: "ignore", args: null }, "rejected"],
  ] as const)("is given Agent Inbox's %s in its own form", async (type, sent, given, status) => {
    const { inbox, thread_id, done, decided } = await asks(older);
    await inbox.send(thread_id, { type, args: sent });
    expect(done.answers).toEqual([[given]]);
    expect(await decided()).toEqual([status]);
  });
});

describe("a graph that asks in LangChain's form of Python", () => {
  it("is drawn by both", async () => {
    const { inbox, thread_id, chat } = await asks(python);
    expect(await inbox.open(thread_id)).toMatchObject({ action: "pay", args, description, isHitl: true });
    expect((await chat.tabs()).map(isDrawn)).toEqual([true]);
  });

  const edited = { type: "edit", edited_action: { name: "pay", args: { to: "ann", amount: 3 } } };
  it.each([
    ["an approval", (inbox: AgentInbox, id: string) => inbox.accept(id), { type: "approve" }],
    ["an edit", (inbox: AgentInbox, id: string) => inbox.edit(id, { amount: "3" }), edited],
    [
      "a response",
      (inbox: AgentInbox, id: string) => inbox.respond(id, "No."),
      { type: "reject", message: "No." },
    ],
    ["an ignore", (inbox: AgentInbox, id: string) => inbox.ignore(id), { type: "reject" }],
  ])("is given %s of Agent Inbox as LangChain's decision", async (_what, answer, decision) => {
    const { inbox, thread_id, done } = await asks(python);
    await answer(inbox, thread_id);
    expect(done.answers).toEqual([{ decisions: [decision] }]);
  });

  it.each([
    ["an approval", (chat: AgentChat) => chat.decide({ type: "approve" }), { type: "approve" }],
    ["an edit", (chat: AgentChat) => chat.edit({ amount: "3" }), edited],
    [
      "a rejection",
      (chat: AgentChat) => chat.decide({ type: "reject", message: "No." }),
      { type: "reject", message: "No." },
    ],
  ])("is given %s of agent-chat-ui", async (_what, answer, decision) => {
    const { chat, done } = await asks(python);
    await answer(chat);
    expect(done.answers).toEqual([{ decisions: [decision] }]);
  });
});

describe("LangChain's own agent", () => {
  it("asks in a spelling that neither draws a form for", async () => {
    const { inbox, thread_id, chat } = await opened(await langchains(["ann"]));
    expect((await inbox.list()).map((thread) => thread.thread_id)).toEqual([thread_id]);
    expect(await inbox.open(thread_id)).toBeUndefined();
    expect((await chat.tabs()).map(isDrawn)).toEqual([false]);
  });

  it("is told no by Agent Inbox's ignore, which it offers for all it cannot draw", async () => {
    const { inbox, thread_id, done, decided, status } = await opened(await langchains(["ann"]));
    await inbox.ignore(thread_id);
    expect(done.paid).toEqual([]);
    expect([await decided(), await status()]).toEqual([["rejected"], "idle"]);
  });

  it.each([
    ["accept", { type: "accept", args: null }, [10], "approved"],
    ["approve", { type: "approve", args: { action: "pay", args } }, [10], "approved"],
    ["edit", { type: "edit", args: { action: "pay", args: { ...args, amount: "3" } } }, [3], "edited"],
    [
      "edited_action",
      { type: "edit", edited_action: { name: "pay", args: { ...args, amount: "4" } } },
      [4],
      "edited",
    ],
    ["response", { type: "response", args: "No." }, [], "rejected"],
    ["reject", { type: "reject", args: "No." }, [], "rejected"],
  ])("goes on with an inbox's %s, and is not stuck", async (_type, decision, paid, decidedAs) => {
    const { chat, done, decided, status } = await opened(await langchains(["ann"]));
    await chat.submit({ resume: { decisions: [decision] } });
    expect(done.paid.map((one) => (one as { amount: number }).amount)).toEqual(paid);
    expect([await decided(), await status()]).toEqual([[decidedAs], "idle"]);
  });

  it("with three calls in one question takes three decisions, and no single one", async () => {
    const { chat, done, decided } = await opened(await langchains(["ann", "bob", "cy"]));
    const approve = { type: "approve" };
    await expect(chat.decide(approve)).rejects.toThrow(/3 action\(s\).*1 decision.*one for each/);
    expect(await refusal(chat.decide(approve))).toEqual({ status: 422, code: "invalid_decision" });
    expect(done.paid).toEqual([]);
    const edited_action = { name: "pay", args: { to: "bob", amount: "5" } };
    await chat.submit({ resume: { decisions: [approve, { type: "edit", edited_action }, approve] } });
    const paid = done.paid as { to: string; amount: number }[];
    expect(new Map(paid.map(({ to, amount }) => [to, amount]))).toEqual(
      new Map([
        ["ann", 10],
        ["bob", 5],
        ["cy", 12],
      ]),
    );
    expect((await decided()).toSorted()).toEqual(["approved", "approved", "edited"]);
  });

  it("runs none of three calls when one of them is rejected, which is its own rule", async () => {
    const { chat, done, status } = await opened(await langchains(["ann", "bob", "cy"]));
    const approve = { type: "approve" };
    await chat.submit({ resume: { decisions: [approve, { type: "reject", message: "No." }, approve] } });
    expect(done.paid).toEqual([]);
    expect(await status()).toBe("idle");
  });

  it.each([
    ["Agent Inbox", ({ inbox, thread_id }: Awaited<ReturnType<typeof opened>>) => inbox.resolve(thread_id)],
    ["agent-chat-ui", ({ chat }: Awaited<ReturnType<typeof opened>>) => chat.resolve()],
  ])("is marked as resolved by %s, and pays nothing", async (_who, resolve) => {
    const one = await opened(await langchains(["ann", "bob"]));
    await resolve(one);
    expect(one.done.paid).toEqual([]);
    expect([await one.decided(), await one.status()]).toEqual([["cancelled", "cancelled"], "idle"]);
    expect(await one.inbox.list()).toEqual([]);
  });
});
