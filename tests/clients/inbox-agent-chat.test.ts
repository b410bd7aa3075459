import { describe, expect, it } from "vitest";
import { listOf } from "../server/bench.ts";
import { refusal } from "../server/sdk-client.ts";
import type { Values } from "../server/thread-bench.ts";
import { AgentChat, isDrawn } from "./agent-chat.ts";
import { oneByOne, ours, together } from "./payments.ts";

async function paused(names = ["ann"], policy = oneByOne) {
  const server = await ours(names, policy);
  const thread_id = await server.go();
  const chat = new AgentChat(server.client, thread_id);
  return {
    ...{ ...server, chat, thread_id },
    told: async () => (await server.client.threads.getState<Values>(thread_id)).values.messages,
    statuses: async () => {
      const { body } = await server.get(`/approvals?status=all&thread_id=${thread_id}`);
      return listOf(body["approvals"]).map(({ status }) => status as unknown as string);
    },
  };
}

describe("agent-chat-ui", () => {
  it("draws a form for what is asked", async () => {
    const { chat } = await paused();
    const tabs = await chat.tabs();
    expect(tabs.map(isDrawn)).toEqual([true]);
    expect(tabs[0]?.value).toMatchObject({
      action_requests: [
        { name: "pay", args: { to: "ann", amount: 10 }, description: expect.any(String) as string },
      ],
      review_configs: [{ action_name: "pay", allowed_decisions: ["approve", "edit", "reject", "respond"] }],
    });
  });

  it("approves a call, and sees the run go to its end", async () => {
    const { chat, done, statuses, statusOf, thread_id } = await paused();
    const events = (await chat.decide({ type: "approve" })) as { event: string; data: Values }[];
    expect(done.paid).toEqual([{ to: "ann", amount: 10 }]);
    expect(await statuses()).toEqual(["approved"]);
    expect(await statusOf(thread_id)).toBe("idle");
    const last = events.findLast(({ event }) => event === "values");
    expect(last?.data.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
  });

  it("edits a number, which arrives as a text and is paid as a number", async () => {
    const { chat, done, statuses } = await paused();
    await chat.edit({ amount: "4" });
    expect(done.paid).toEqual([{ to: "ann", amount: 4 }]);
    expect(await statuses()).toEqual(["edited"]);
  });

  it("is refused an edit to what is no number, and still shows the question", async () => {
    const { chat, done, statusOf, thread_id } = await paused();
    await expect(chat.edit({ amount: "4 Euro" })).rejects.toThrow(/args\.amount.*still pending/);
    expect(await refusal(chat.edit({ amount: "" }))).toEqual({ status: 422, code: "invalid_decision" });
    expect(done.paid).toEqual([]);
    expect(await chat.tabs()).toHaveLength(1);
    expect(await statusOf(thread_id)).toBe("interrupted");
  });

  it("rejects a call, and the model is told why", async () => {
    const { chat, done, told, statuses } = await paused();
    await chat.decide({ type: "reject", message: "Too much." });
    expect(done.paid).toEqual([]);
    expect(await statuses()).toEqual(["rejected"]);
    expect((await told()).at(-2)).toMatchObject({ content: expect.stringContaining("Too much.") as string });
  });

  it("marks the thread as resolved, which withdraws the question for good", async () => {
    const { chat, done, told, statuses, statusOf, thread_id } = await paused(["ann", "bob", "cy"]);
    await chat.resolve();
    expect(await chat.tabs()).toEqual([]);
    expect(await statuses()).toEqual(["cancelled"]);
    expect(await statusOf(thread_id)).toBe("idle");
    expect((await told()).map(({ type }) => type)).toEqual(["human", "ai", "tool", "tool", "tool"]);
    expect(done.paid).toEqual([]);
  });

  it("answers three calls one after the other, each for itself", async () => {
    const { chat, done, statuses, statusOf, thread_id } = await paused(["ann", "bob", "cy"]);
    expect(await chat.tabs()).toHaveLength(1);
    await chat.decide({ type: "approve" });
    expect(await chat.tabs()).toHaveLength(1);
    await chat.decide({ type: "reject", message: "Not bob." });
    await chat.edit({ amount: "6" });
    expect(done.paid).toEqual([
      { to: "ann", amount: 10 },
      { to: "cy", amount: 6 },
    ]);
    expect((await statuses()).toSorted()).toEqual(["approved", "edited", "rejected"]);
    expect(await statusOf(thread_id)).toBe("idle");
  });

  it("shows a tab for each of three calls that are asked together, and can answer none of them", async () => {
    const { chat, done, pending } = await paused(["ann", "bob", "cy"], together);
    expect((await chat.tabs()).map(isDrawn)).toEqual([true, true, true]);
    const answer = chat.decide({ type: "approve" });
    await expect(answer).rejects.toThrow(/3 questions are open.*names none of them.*one-by-one/);
    expect(await refusal(chat.decide({ type: "approve" }))).toEqual({ status: 409, code: "ambiguous" });
    expect(await pending()).toHaveLength(3);
    expect(done.paid).toEqual([]);
    await chat.resolve();
    expect(await pending()).toEqual([]);
  });
});

describe("an agent-chat-ui that knows only the form of the older inboxes", () => {
  const action = (amount: unknown) => ({ action: "pay", args: { to: "ann", amount } });

  it("finds that form in what is asked", async () => {
    const { chat } = await paused();
    const [{ value } = { value: null }] = await chat.tabs();
    expect(value).toMatchObject({
      action_request: action(10),
      config: { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true },
      description: expect.any(String) as string,
    });
  });

  it.each([
    ["accepts", "accept", action(10), "approved", [10]],
    ["edits", "edit", action("7"), "edited", [7]],
    ["responds", "response", "Too much.", "rejected", []],
    ["ignores", "ignore", null, "rejected", []],
  ] as const)("%s a call", async (_what, type, args, status, paid) => {
    const { chat, done, statuses } = await paused();
    await chat.respond(type, args);
    expect(done.paid.map((one) => (one as { amount: number }).amount)).toEqual(paid);
    expect(await statuses()).toEqual([status]);
  });
});
