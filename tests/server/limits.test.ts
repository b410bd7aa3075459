import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../src/server/guards/limits.ts";
import { Rate } from "../../src/server/guards/rate.ts";
import { createServer } from "../../src/wire.ts";
import { bench, folder, remove, resumeOf, runOf, textOf, until } from "./bench.ts";
import { raw } from "./raw-request.ts";
import { openStream } from "./sse.ts";

/** Sends these bytes and nothing more; what comes back until the connection is closed. */
function sendRaw(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (data: Buffer) => (text += data.toString()));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}

describe("a request", () => {
  it("is refused when its address, its headers or its body is too large", async () => {
    const server = await bench([], { limits: { bodyBytes: 2_000 } });
    const long = await server.get(`/approvals?cursor=${"x".repeat(DEFAULT_LIMITS.urlLength)}`);
    expect(long).toMatchObject({ status: 414, body: { code: "url_too_long" } });
    const heavy = await raw(server, "GET", "/ok", { "x-much": "x".repeat(DEFAULT_LIMITS.headerBytes) });
    expect(heavy.status).toBe(431);
    expect(JSON.parse(heavy.body)).toMatchObject({ code: "headers_too_large" });
    const large = await server.post("/threads", { metadata: { text: "x".repeat(2_000) } });
    expect(large).toMatchObject({ status: 413, body: { code: "body_too_large" } });
    expect((await server.get("/ok")).status).toBe(200);
  });

  it("has so long to come, and not longer", async () => {
    const server = await bench([], { limits: { headersMs: 300, requestMs: 300 } });
    const head = "POST /threads HTTP/1.1\r\nHost: localhost\r\n";
    for (const begun of [head, `${head}Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{`]) {
      const answer = await sendRaw(server.url, begun);
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer).toContain('"code":"request_timeout"');
    }
    expect(server.errors).toEqual([]);
    expect((await server.get("/ok")).status).toBe(200);
  });

  it("that is none is answered and closed", async () => {
    const server = await bench([]);
    const answer = await sendRaw(server.url, "HELLO\r\n\r\n");
    expect(answer).toContain('"code":"invalid_request"');
  });
});

describe("an input", () => {
  it("has so many messages, and not more", async () => {
    const server = await bench([{ content: "done" }], { limits: { inputMessages: 3 } });
    const { body: thread } = await server.post("/threads", {});
    const run = (count: number) =>
      server.post(`/threads/${textOf(thread["thread_id"])}/runs/wait`, {
        ...runOf("go"),
        input: { messages: Array.from({ length: count }, () => ({ role: "user", content: "go" })) },
      });
    expect(await run(4)).toMatchObject({
      ...{ status: 422, body: { code: "invalid_request", errors: [{ path: "input.messages" }] } },
    });
    expect((await run(3)).status).toBe(200);
  });
});

describe("streams", () => {
  it("are so many of one client, and one more is told to come back", async () => {
    const server = await bench([{ content: "done" }], { limits: { streamsPerClient: 2 } });
    const streams = [await openStream(`${server.url}/events`), await openStream(`${server.url}/events`)];
    const reader = await server.get("/events");
    expect(reader).toMatchObject({ status: 503, body: { code: "too_many_readers" } });
    expect(reader.headers.get("retry-after")).toMatch(/^\d+$/);
    streams[0]!.close();
    await until(async () => {
      const more = await openStream(`${server.url}/events`);
      more.close();
      return more.response.status === 200;
    });
    streams[1]!.close();
  });

  it("that begin a run are refused before it, in a way that no client repeats", async () => {
    const server = await bench([{ content: "done" }], { limits: { streams: 1 } });
    const stream = await openStream(`${server.url}/events`);
    const { body: thread } = await server.post("/threads", {});
    const thread_id = textOf(thread["thread_id"]);
    const refused = await server.post(`/threads/${thread_id}/runs/stream`, runOf("go"));
    expect(refused).toMatchObject({ status: 409, body: { code: "too_many_streams" } });
    expect((await server.get(`/threads/${thread_id}/runs`)).body).toEqual([]);
    stream.close();
  });

  it("are not held by requests that were refused, or asked for the headers alone", async () => {
    const server = await bench([], { limits: { streams: 2 } });
    for (let at = 0; at < 5; at += 1) {
      expect((await server.get("/threads/none/stream")).status).toBe(404);
      expect((await raw(server, "HEAD", "/events", {})).status).toBe(200);
    }
    const stream = await openStream(`${server.url}/events`);
    expect(stream.response.status).toBe(200);
    stream.close();
  });
});

describe("decisions", () => {
  it("are so many a minute, whichever way they come", async () => {
    const steps = [remove("a"), { content: "done" }];
    const server = await bench(steps, { limits: { decisionsPerMinute: 2 } });
    await server.begin();
    const [approval] = await server.pending();
    const path = `/approvals/${approval!.approval_id}/decision`;
    for (let at = 0; at < 2; at += 1) expect((await server.post(path, { type: "no" })).status).toBe(422);
    const refused = await server.post(path, { type: "approve" });
    expect(refused).toMatchObject({ status: 409, body: { code: "too_many_decisions" } });
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await server.pending()).toHaveLength(1);
    const { thread_id } = approval!;
    for (let at = 0; at < 2; at += 1) await server.post(`/threads/${thread_id}/runs/wait`, resumeOf(null));
    const resumed = await server.post(`/threads/${thread_id}/runs/wait`, resumeOf({ type: "approve" }));
    expect(resumed).toMatchObject({ status: 409, body: { code: "too_many_decisions" } });
    expect(server.effects.deleted).toEqual([]);
    expect(await server.pending()).toHaveLength(1);
  });

  it("of one client leave those of others alone, and come back with time", () => {
    let now = 0;
    const rate = new Rate(2, () => now);
    expect([rate.take("one"), rate.take("one"), rate.take("one")]).toEqual([null, null, 30]);
    expect(rate.take("other")).toBeNull();
    now += 30_000;
    expect([rate.take("one"), rate.take("one")]).toEqual([null, 30]);
  });
});

describe("questions", () => {
  it("are so many on one thread; a call beyond them is answered and not asked", async () => {
    const limits = { pendingPerThread: 2 };
    const server = await bench([remove("a", "b", "c", "d"), { content: "done" }], { limits });
    const { thread_id } = await server.begin();
    const pending = await server.pending(thread_id);
    expect(pending).toHaveLength(2);
    const { body } = await server.get(`/approvals?status=unavailable&thread_id=${thread_id}`);
    expect(body["approvals"]).toHaveLength(2);
    expect(body["approvals"]).toMatchObject([{ decision: { decided_by: { kind: "policy" } } }, {}]);
    for (const { approval_id } of pending)
      await server.post(`/approvals/${approval_id}/decision?wait=10`, { type: "approve" });
    expect(server.effects.deleted).toHaveLength(2);
    const state = await server.get(`/threads/${thread_id}/state`);
    expect(JSON.stringify(state.body)).toContain("2 questions are open on this thread");
  });

  it("of one thread leave those of others alone", async () => {
    const server = await bench([remove("a"), { content: "done" }], { limits: { pendingPerThread: 1 } });
    await server.begin();
    await server.begin();
    expect(await server.pending()).toHaveLength(2);
  });
});

it("a server does not start with a limit that is none", async () => {
  const config = { graphs: {} };
  const store = `file:${folder()}/state.db`;
  await expect(createServer({ config, store, limits: { streams: 0 } })).rejects.toMatchObject({
    ...{ code: "bad_limit", message: expect.stringContaining('"limits.streams"') as string },
  });
});
