import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { foreign } from "../server/foreign.ts";
import { sdkOf } from "../server/sdk-client.ts";
import { facing, paused } from "./paused.ts";
import { refusedWith } from "./refused.ts";
import { failingAgent, oneByOne, ourAgent, ours, together } from "./payments.ts";

const approve = { type: "approve" };
const nowhere = "0".repeat(32);

describe("an answer that fits more than one question", () => {
  it("decides none when it names none of three", async () => {
    const { send, isUntouched } = await paused();
    for (const resume of [approve, { decisions: [approve] }, [{ type: "accept", args: null }], true, "yes"])
      await refusedWith(
        send({ resume }),
        409,
        "ambiguous",
        /names none of them. Send a map from approval id/,
      );
    await isUntouched(3);
  });

  it("decides none when a stray key stands beside an id, and names that key", async () => {
    const { send, pending, isUntouched } = await paused();
    const [first] = await pending();
    for (const id of [first!.approval_id, first!.interrupt_id!])
      await refusedWith(
        send({ resume: { [id]: approve, note: "please" } }),
        404,
        "unknown_approval",
        /"note" is not the id of a pending/,
      );
    await isUntouched(3);
  });

  it("decides none when one stray key stands beside the only one that is left", async () => {
    const { send, pending, isUntouched } = await paused(["ann"]);
    const [only] = await pending();
    const resume = { [only!.interrupt_id!]: approve, x: approve };
    await refusedWith(send({ resume }), 404, "unknown_approval", /"x" is not the id/);
    await isUntouched(1);
  });
});

describe("an answer that comes again, or too late", () => {
  it("with an id that is not known is refused, and nothing is entered again", async () => {
    const { send, isUntouched } = await paused();
    const message = /is not the id of a pending approval or interrupt/;
    await refusedWith(send({ resume: { [nowhere]: approve } }), 404, "unknown_approval", message);
    await isUntouched(3);
  });

  it("with the id of the first call does not decide the second, under whatever form", async () => {
    const { send, pending, done } = await paused(["ann", "bob"], oneByOne);
    const [ann] = await pending();
    await send({ resume: { [ann!.interrupt_id!]: approve } });
    expect(done.paid).toHaveLength(1);
    // The very same again is a repetition, and joins what it began; another one is told what stands.
    await send({ resume: { [ann!.interrupt_id!]: approve } });
    for (const id of [ann!.interrupt_id!, ann!.approval_id])
      await refusedWith(
        send({ resume: { [id]: { type: "reject", message: "no" } } }),
        409,
        "already_decided",
        /approved/,
      );
    const [bob, ...others] = await pending();
    expect([bob?.args["to"], others]).toEqual(["bob", []]);
    expect(done.paid).toHaveLength(1);
  });

  it("to a thread that has ended is refused", async () => {
    const { send, done } = await paused(["ann"]);
    await send({ resume: { type: "reject", message: "no" } });
    await refusedWith(send({ resume: approve }), 409, "not_pending", /Nothing is waiting for a decision/);
    expect(done.paid).toEqual([]);
  });

  it("for an older checkpoint is refused, with the id or without", async () => {
    const { send, client, thread_id, pending, isUntouched } = await paused(["ann"]);
    const [ann] = await pending();
    const [, { checkpoint } = { checkpoint: null }] = await client.threads.getHistory(thread_id);
    for (const resume of [approve, { [ann!.interrupt_id!]: approve }])
      await refusedWith(
        send({ resume }, { checkpoint }),
        409,
        "old_checkpoint",
        /not the newest one. An answer is for what is open now/,
      );
    await isUntouched(1);
  });
});

describe("an answer that is none", () => {
  it.each([
    ["false", false],
    ["0", 0],
    ["an empty text", ""],
    ["a text", "yes"],
    ["null", null],
    ["an empty map", {}],
    ["an unknown type", { type: "maybe" }],
    ["an approval with more than that", { type: "approve", quietly: true }],
    ["a wake-up of ours", { countersign: 1 }],
  ])("(%s) is refused, leaves nothing behind, and the next one counts", async (_what, resume) => {
    const { send, isUntouched, done } = await paused(["ann"]);
    await refusedWith(send({ resume }), 422, "invalid_decision", /still pending|as it was/);
    await isUntouched(1);
    await send({ resume: { type: "reject", message: "no" } });
    expect(done.paid).toEqual([]);
  });
});

describe("what a client is shown", () => {
  it("lists only what is open, also in the state, when some of three are decided", async () => {
    const { client, thread_id, send, pending } = await paused();
    const [ann] = await pending();
    await send({ resume: { [ann!.approval_id]: { type: "reject", message: "no" } } });
    const left = (await pending()).map(({ interrupt_id }) => interrupt_id).toSorted();
    const { tasks } = await client.threads.getState(thread_id);
    const shown = tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id)).toSorted();
    expect(shown).toEqual(left);
    expect(left).toHaveLength(2);
  });
});

describe("a policy that changes between the question and the answer", () => {
  it("does not hand the answer to another question: a stricter one denies the call", async () => {
    const server = await facing(await ours(["ann", "bob"], together));
    const [ann] = await server.pending(server.thread_id);
    const deny = { id: "none", tools: ["pay"], when: { to: { equals: "ann" } }, tier: "deny" as const };
    const stricter = { version: 1 as const, rules: [deny] };
    const graph = ourAgent(server.done, [{}, { content: "done" }], stricter);
    const restarted = await server.restart({ config: { graphs: { agent: graph } } });
    const client = sdkOf(restarted);
    const command = { resume: { [ann!.interrupt_id!]: approve } };
    await client.runs.wait(server.thread_id, "agent", { command });
    expect(server.done.paid).toEqual([]);
    expect((await restarted.pending()).map(({ args }) => args["to"])).toEqual(["bob"]);
  });
});

describe("two clients that answer the same question at once", () => {
  it("have one winner, and the other is told what stands", async () => {
    const { send, done, pending } = await paused(["ann"]);
    const [ann] = await pending();
    const answers = [
      approve,
      { type: "reject", message: "no" },
      { type: "edit", args: { to: "x", amount: 1 } },
    ];
    const results = await Promise.allSettled(
      answers.map((answer) => send({ resume: { [ann!.approval_id]: answer } })),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results)
      if (result.status === "rejected")
        await refusedWith(Promise.reject(result.reason as Error), 409, "already_decided", /already/);
    expect(done.paid.length).toBeLessThanOrEqual(1);
    expect(await pending()).toEqual([]);
  });
});

describe("a tool that fails after it was approved", () => {
  it("ends its approval: a later rejection or approval of another call does not run it again", async () => {
    const begun: unknown[] = [];
    const server = await facing(await foreign(() => failingAgent(begun)));
    const values = (await server.send({ resume: approve })) as unknown as { messages: { status?: string }[] };
    expect(begun).toHaveLength(1);
    expect(values.messages.at(-2)).toMatchObject({ type: "tool", status: "error" });
    await refusedWith(server.send({ resume: { type: "reject" } }), 409, "not_pending", /Nothing is waiting/);
    expect(begun).toHaveLength(1);
  });
});

describe("a client that repeats what fails", () => {
  it("sends a refused answer once, so that no refusal comes back as another answer", async () => {
    const { url, thread_id, isUntouched } = await paused();
    const sent: string[] = [];
    const counting: typeof fetch = (input, init) => {
      sent.push(init?.method ?? "GET");
      return fetch(input, init);
    };
    const client = new Client({ apiUrl: url, callerOptions: { fetch: counting } });
    const answers = [approve, { type: "maybe" }, { [nowhere]: approve }];
    for (const resume of answers)
      await expect(client.runs.wait(thread_id, "agent", { command: { resume } })).rejects.toThrow(/HTTP 4/);
    await expect(client.runs.create(thread_id, "agent", { input: null })).rejects.toThrow(/HTTP 4/);
    expect(sent).toEqual(["POST", "POST", "POST", "POST"]);
    await isUntouched(3);
  });
});
