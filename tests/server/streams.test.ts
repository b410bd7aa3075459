import { describe, expect, it } from "vitest";
import { bench, call, listOf, remove, resumeOf, runOf, textOf, until, type Json } from "./bench.ts";
import { openStream, streamRun } from "./sse.ts";

const post = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

describe("the stream of a run", () => {
  it("gives what was asked for, between `metadata` and `end`", async () => {
    const {
      url,
      post: send,
      get,
    } = await bench([{ tool_calls: [call("read_file", { path: "a" })] }, { content: "It says hi." }]);
    const thread_id = textOf((await send("/threads", {})).body["thread_id"]);
    const stream_mode = ["values", "updates", "messages-tuple", "custom"];
    const path = `/threads/${thread_id}/runs/stream`;
    const { response, events, ended } = await openStream(
      `${url}${path}`,
      post(runOf("read a", { stream_mode })),
    );
    await ended;
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const run_id = (events[0]?.data as Json)["run_id"];
    expect(events[0]).toMatchObject({ event: "metadata", data: { attempt: 1 } });
    expect(response.headers.get("content-location")).toBe(`/threads/${thread_id}/runs/${textOf(run_id)}`);
    expect(events.at(-1)?.event).toBe("end");
    expect(new Set(events.map(({ event }) => event))).toEqual(
      new Set(["metadata", "values", "updates", "messages", "custom", "end"]),
    );
    const last = events.filter(({ event }) => event === "values").at(-1)?.data as Json;
    expect(listOf(last["messages"]).map((one) => one["type"])).toEqual(["human", "ai", "tool", "ai"]);
    expect(last["messages"]).toEqual((await get(`/threads/${thread_id}`)).body["values"]?.["messages"]);
    const custom = events.filter(({ event }) => event === "custom").map(({ data }) => (data as Json)["type"]);
    expect(custom).toEqual(["tool_call_started", "tool_result"]);
  });

  it("gives the values when no mode was asked for", async () => {
    const { url, post: send } = await bench([{ content: "hi" }]);
    const thread_id = textOf((await send("/threads", {})).body["thread_id"]);
    const events = await streamRun(url, `/threads/${thread_id}/runs/stream`, runOf("hello"));
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["metadata", "values", "end"]));
  });

  it("gives messages in the older form, whole at the end", async () => {
    const { url, post: send } = await bench([{ content: "hi there" }]);
    const thread_id = textOf((await send("/threads", {})).body["thread_id"]);
    const events = await streamRun(
      url,
      `/threads/${thread_id}/runs/stream`,
      runOf("hello", { stream_mode: "messages" }),
    );
    const names = events.map(({ event }) => event);
    expect(names).toContain("messages/metadata");
    const partial = events.filter(({ event }) => event === "messages/partial").at(-1)?.data as Json;
    expect(partial[0]?.["content"]).toBe("hi there");
    const complete = events
      .filter(({ event }) => event === "messages/complete")
      .map(({ data }) => (data as Json)[0]);
    expect(complete.map((one) => one?.["content"])).toEqual(["hello", "hi there"]);
  });

  it("refuses a mode that there is not", async () => {
    const { post: send } = await bench([]);
    const { body } = await send("/runs/stream", runOf("hello", { stream_mode: ["thoughts"] }));
    expect(body).toMatchObject({ code: "invalid_request", status: 422 });
  });

  it("tells what failed, without a stack", async () => {
    const { url, begin, get, post: send } = await bench([]);
    const thread_id = textOf((await send("/threads", {})).body["thread_id"]);
    const events = await streamRun(url, `/threads/${thread_id}/runs/stream`, runOf("hello"));
    const told = events.find(({ event }) => event === "error")?.data as Json;
    expect(told).toMatchObject({ error: "ModelError" });
    expect(textOf(told["message"])).not.toContain("node_modules");
    expect((await get(`/threads/${thread_id}`)).body).toMatchObject({
      status: "error",
      error: told["message"],
    });
    expect((await begin()).values["__error__"]).toMatchObject({ error: "ModelError" });
  });
});

describe("a client that leaves its stream", () => {
  it("does not stop the run, comes back and finds what is pending", async () => {
    const {
      server,
      url,
      post: send,
      pending,
      effects,
    } = await bench([
      { tool_calls: [call("delete_file", { path: "a" }), call("read_file", { path: "b" })] },
      { content: "done" },
    ]);
    const thread_id = textOf((await send("/threads", {})).body["thread_id"]);
    const before = process.listenerCount("warning");
    const stream = await openStream(`${url}/threads/${thread_id}/runs/stream`, post(runOf("go")));
    stream.close();
    await until(async () => (await pending(thread_id)).length === 1);
    const events = await streamRun(url, `/threads/${thread_id}/runs/stream`, resumeOf({ type: "approve" }));
    expect(events.at(-1)?.event).toBe("end");
    expect(effects).toMatchObject({ deleted: ["a"], read: ["b"] });
    expect(process.listenerCount("warning")).toBe(before);
    expect(server.url).toBe(url);
  });

  it("ends its run and withdraws its questions when it asked for that", async () => {
    const { url, post: send, get, effects } = await bench([remove("a", "b"), { content: "done" }]);
    let open = (): void => undefined;
    effects.gate = new Promise((resolve) => (open = resolve));
    const thread_id = textOf((await send("/threads", {})).body["thread_id"]);
    await send(`/threads/${thread_id}/runs/wait`, runOf("go"));
    const { body: listed } = await get(`/approvals?thread_id=${thread_id}`);
    const first = textOf(listed["approvals"]?.[0]?.["approval_id"]);
    const wish = { on_disconnect: "cancel" };
    const answer = resumeOf({ [first]: { type: "approve" } }, wish);
    const stream = await openStream(`${url}/threads/${thread_id}/runs/stream`, post(answer));
    await until(() => effects.begun === 1);
    stream.close();
    await until(
      async () => (await get(`/threads/${thread_id}`)).body["status"] !== ("busy" as unknown as Json),
    );
    const { body: all } = await get(`/approvals?thread_id=${thread_id}&status=all`);
    expect(
      listOf(all["approvals"])
        .slice(0, 2)
        .map((one) => one["status"]),
    ).toEqual(["approved", "cancelled"]);
    open();
    await until(() => effects.deleted.length === 1);
    expect(effects.deleted).toEqual(["a"]);
    // That the tool's end is unknown is asked by a task that hears of the abort late, and withdrawn like the rest.
    await until(async () => (await get(`/approvals?status=all`)).body["approvals"]?.[2] !== undefined);
    await until(async () => listOf((await get("/approvals")).body["approvals"]).length === 0);
  });
});

describe("a run without a thread", () => {
  it("runs and leaves no thread", async () => {
    const { post: send } = await bench([{ content: "hi" }]);
    const { body } = await send("/runs/wait", runOf("hello"));
    expect(listOf(body["messages"])).toHaveLength(2);
    expect((await send("/threads/search", {})).body).toEqual([]);
  });

  it("fails closed where an approval is needed", async () => {
    const { post: send, pending, effects } = await bench([remove("a")]);
    const { body } = await send("/runs/wait", runOf("go", { context: { mode: "interactive" } }));
    expect(body["__error__"]).toMatchObject({ error: "ApprovalRequiredError" });
    expect(await pending()).toEqual([]);
    expect(effects.deleted).toEqual([]);
  });

  it("can be asked about when its thread is kept", async () => {
    const { post: send, pending, effects } = await bench([remove("a"), { content: "done" }]);
    const { body } = await send("/runs/wait", runOf("go", { on_completion: "keep" }));
    expect(listOf(body["__interrupt__"])).toHaveLength(1);
    const [approval] = await pending();
    await send(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
    expect(effects.deleted).toEqual(["a"]);
  });
});
