import { Client, type ThreadStream } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { bench, remove, until, type BenchOptions } from "./bench.ts";
import { follow, type Heard } from "./follow.ts";

const steps = [remove("a", "b"), { content: "done" }];
const input = { messages: [{ role: "user", content: "yes, go on" }] };
const approve = { type: "approve" };

/** A thread that is paused at two questions, and a client that follows it. */
async function paused(options: BenchOptions & { steps?: typeof steps } = {}) {
  const server = await bench(options.steps ?? steps, options);
  const client = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } });
  const { thread_id } = await server.begin();
  const follower = follow(client, thread_id);
  const { stream } = follower;
  await stream.subscribe(["values", "input", "lifecycle"]);
  await until(() => stream.interrupts.length > 0);
  const ids = stream.interrupts.map(({ interruptId }) => interruptId);
  const statusOf = async () => (await client.threads.get(thread_id)).status;
  return { ...server, ...follower, client, thread_id, ids, statusOf };
}

const respond = (stream: ThreadStream, interrupt_id: string, response: unknown) =>
  stream.input.respond({ namespace: [], interrupt_id, response });

const refusals = (heard: Heard[]) =>
  heard.filter(({ data }) => data["event"] === "failed").map(({ data }) => data);

describe("an input on a paused thread", () => {
  it("is refused and decides nothing", async () => {
    const { stream, effects, pending, statusOf, thread_id } = await paused();
    for (const given of [input, "yes", approve, { decisions: [approve] }]) {
      const refused = stream.run.start({ input: given });
      await expect(refused).rejects.toMatchObject({ name: "ProtocolError" });
    }
    await expect(stream.run.start({ input })).rejects.toMatchObject({
      code: "approval_pending",
      response: { problem: { code: "approval_pending", pending: [expect.any(String), expect.any(String)] } },
    });
    await expect(stream.run.start({ input: null })).rejects.toMatchObject({ code: "approval_pending" });
    expect(effects.begun).toBe(0);
    expect(await pending(thread_id)).toHaveLength(2);
    expect(await statusOf()).toBe("interrupted");
  });

  it("takes the place of what is open where policy withdraws that", async () => {
    const { stream, effects, pending, lifecycle } = await paused({
      policy: { version: 1, review: { onNewInput: "withdraw" } },
      steps: [remove("a", "b"), { content: "well" }],
    });
    await stream.run.start({ input });
    await until(() => lifecycle().includes("completed"));
    expect(effects.begun).toBe(0);
    expect(await pending()).toEqual([]);
  });
});

describe("an answer", () => {
  it("to what is not open is refused, and the thread stays paused", async () => {
    const { stream, heard, ids, effects, statusOf, lifecycle } = await paused();
    const unknown = "0".repeat(32);
    await expect(respond(stream, unknown, approve)).rejects.toMatchObject({ code: "no_such_interrupt" });
    await until(() => refusals(heard).length === 1);
    expect(refusals(heard)[0]).toMatchObject({ reason: "not_pending", interrupt_ids: [unknown] });
    expect(refusals(heard)[0]?.["pending_ids"]).toEqual(expect.arrayContaining(ids));
    await until(() => lifecycle().at(-1) === "interrupted");
    for (const id of ["type", "decisions", "resume", "approval_id"])
      await expect(respond(stream, id, "approve")).rejects.toMatchObject({ code: "no_such_interrupt" });
    await expect(stream.input.respond({ responses: [] })).rejects.toThrow();
    await until(() => refusals(heard).some(({ reason }) => reason === "empty_map"));
    expect(effects.begun).toBe(0);
    expect(await statusOf()).toBe("interrupted");
  });

  it("that one of several cannot be taken takes none of them", async () => {
    const { stream, ids, effects, pending } = await paused();
    const [first] = ids;
    const both = [first!, "0".repeat(32)].map((interrupt_id) => ({
      namespace: [],
      interrupt_id,
      response: approve,
    }));
    await expect(stream.input.respond({ responses: both })).rejects.toMatchObject({
      code: "no_such_interrupt",
    });
    const twice = [first!, first!].map((interrupt_id) => ({
      namespace: [],
      interrupt_id,
      response: approve,
    }));
    await expect(stream.input.respond({ responses: twice })).rejects.toMatchObject({
      code: "invalid_argument",
    });
    expect(effects.begun).toBe(0);
    expect(await pending()).toHaveLength(2);
  });

  it("that is none is refused, and its question is told again", async () => {
    const { stream, ids, heard } = await paused();
    const before = heard.length;
    await expect(respond(stream, ids[0]!, { type: "maybe" })).rejects.toMatchObject({
      code: "invalid_decision",
    });
    await until(() => stream.interrupts.length === 1);
    expect(stream.interrupts[0]?.interruptId).toBe(ids[0]);
    expect(heard.slice(before).map(({ method }) => method)).toEqual(["input.requested"]);
  });

  it("sent again joins the run it began, and another one is told what stands", async () => {
    const { stream, ids, effects, post, thread_id, lifecycle } = await paused();
    await respond(stream, ids[0]!, approve);
    await until(() => lifecycle().at(-1) === "interrupted" && effects.deleted.length === 1);
    const params = { interrupt_id: ids[0], namespace: [], response: approve };
    const again = await post(`/threads/${thread_id}/commands`, { id: 1, method: "input.respond", params });
    expect(again.body).toMatchObject({ type: "success", id: 1 });
    await expect(respond(stream, ids[0]!, { type: "reject" })).rejects.toMatchObject({
      code: "already_decided",
      response: { problem: { approval: { status: "approved" } } },
    });
    await respond(stream, ids[1]!, approve);
    await until(() => lifecycle().includes("completed"));
    expect(effects.deleted.toSorted()).toEqual(["a", "b"]);
  });

  it("cannot carry a jump or a write", async () => {
    const { stream, ids, effects, pending } = await paused();
    const target = { namespace: [], interrupt_id: ids[0]!, response: approve };
    await expect(stream.input.respond({ ...target, goto: "tools" })).rejects.toThrow();
    await expect(stream.input.respond({ ...target, update: { messages: [] } })).rejects.toThrow();
    expect(effects.begun).toBe(0);
    expect(await pending()).toHaveLength(2);
  });
});

describe("a command", () => {
  it("that is not known or not supported is told so", async () => {
    const { post, thread_id } = await paused();
    const send = async (command: object) => (await post(`/threads/${thread_id}/commands`, command)).body;
    expect(await send({ id: 7, method: "run.stop" })).toMatchObject({
      type: "error",
      id: 7,
      error: "unknown_command",
    });
    expect(await send({ id: 8, method: "input.inject", params: {} })).toMatchObject({
      error: "not_supported",
    });
    expect(await send({ id: 9, method: "run.start", params: {} })).toMatchObject({
      error: "invalid_argument",
    });
    const other = { assistant_id: "other", input: {} };
    expect(await send({ id: 9, method: "run.start", params: other })).toMatchObject({
      error: "graph_not_found",
    });
    expect(await post(`/threads/${thread_id}/commands`, { method: "run.start" })).toMatchObject({
      status: 422,
    });
    const nowhere = await post("/threads/nowhere/commands", {
      id: 1,
      method: "state.get",
      params: { namespace: [] },
    });
    expect(nowhere.body).toMatchObject({ type: "error", error: "no_such_run" });
  });
});
