import { createServer as createHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { bench, Effects, remove, until } from "./bench.ts";
import { all, sdkOf } from "./sdk-client.ts";

const input = { messages: [{ role: "user", content: "go" }] };
const steps = [remove("a"), { content: "done" }];

interface Part {
  id?: string;
  event: string;
  data: unknown;
}

async function paused() {
  const server = await bench(steps);
  const client = sdkOf(server);
  const { thread_id } = await client.threads.create();
  const parts = await all(
    client.runs.stream(thread_id, "agent", { input, streamMode: ["values", "updates"] }),
  );
  const { run_id } = parts[0]!.data as { run_id: string };
  return { server, client, thread_id, run_id, parts: parts as Part[] };
}

describe("the stream of a run", () => {
  it("is read again from its beginning, or behind the last event that was seen", async () => {
    const { client, thread_id, run_id, parts } = await paused();
    expect(parts.every(({ id }) => id !== undefined)).toBe(true);
    expect(await all(client.runs.joinStream(thread_id, run_id))).toEqual(parts);
    const lastEventId = parts[2]!.id!;
    expect(await all(client.runs.joinStream(thread_id, run_id, { lastEventId }))).toEqual(parts.slice(3));
  });

  it("is read for some modes only", async () => {
    const { client, thread_id, run_id } = await paused();
    const read = await all(client.runs.joinStream(thread_id, run_id, { streamMode: "updates" }));
    expect(new Set(read.map(({ event }) => event))).toEqual(new Set(["metadata", "updates", "end"]));
  });

  it("shows what the run left and its end after a restart", async () => {
    const { server, thread_id, run_id, parts } = await paused();
    const again = await server.restart();
    const lastEventId = parts[1]!.id!;
    const read = await all(sdkOf(again).runs.joinStream(thread_id, run_id, { lastEventId }));
    expect(read.map(({ event }) => event)).toEqual(["metadata", "values", "end"]);
    expect((read[1]!.data as { __interrupt__: unknown[] }).__interrupt__).toHaveLength(1);
  });

  it("shows what the run left to a reader of a run that nobody streamed", async () => {
    const { server, client, thread_id } = await paused();
    const [approval] = await server.pending(thread_id);
    const { body } = await server.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    const live = body["run_id"] as unknown as string;
    const read = await all(client.runs.joinStream(thread_id, live, { streamMode: "values" }));
    expect(read.map(({ event }) => event)).toEqual(["metadata", "values", "end"]);
    expect((read[1]!.data as { messages: unknown[] }).messages).toHaveLength(4);
  });

  it("ends its run when a reader who asked for that has left", async () => {
    const effects = new Effects();
    let finish = (): void => undefined;
    effects.gate = new Promise((resolve) => (finish = resolve));
    const server = await bench(steps, { effects });
    const client = sdkOf(server);
    const { thread_id } = await server.begin();
    const [approval] = await server.pending(thread_id);
    const { body } = await server.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    const live = body["run_id"] as unknown as string;
    await until(() => effects.begun === 1);
    const leaving = new AbortController();
    const reading = all(
      client.runs.joinStream(thread_id, live, { cancelOnDisconnect: true, signal: leaving.signal }),
    ).catch(() => undefined);
    setTimeout(() => leaving.abort(), 100);
    await reading;
    await until(async () => (await client.runs.get(thread_id, live)).cancel_reason !== null);
    finish();
    await until(async () => (await client.threads.get(thread_id)).status === "idle");
    expect(await client.runs.get(thread_id, live)).toMatchObject({
      ...{ status: "interrupted", cancel_reason: "The client left, and its run with it." },
    });
  });
});

describe("the stream of a thread", () => {
  it("goes from run to run, whoever begins them, and on where it broke", async () => {
    const { server, client, thread_id, run_id } = await paused();
    const seen: Part[] = [];
    const leaving = new AbortController();
    const reading = (async () => {
      const options = { signal: leaving.signal, lastEventId: `${run_id}/1-0` };
      for await (const part of client.threads.joinStream(thread_id, options)) seen.push(part);
    })().catch(() => undefined);
    await until(() => seen.some(({ event }) => event === "end"));
    const [approval] = await server.pending(thread_id);
    await server.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    await until(() => seen.filter(({ event }) => event === "end").length === 2);
    leaving.abort();
    await reading;
    const last = seen.filter(({ event }) => event === "values").at(-1)!.data as { messages: unknown[] };
    expect(last.messages).toHaveLength(4);
    expect(seen.filter(({ event }) => event === "metadata")).toHaveLength(1);
    const rest = await firstOf(client.threads.joinStream(thread_id, { lastEventId: seen.at(-2)!.id! }));
    expect(rest).toEqual(seen.at(-1));
  });

  it("shows only beginnings and ends when that is what was asked for", async () => {
    const { server, client, thread_id } = await paused();
    const seen: string[] = [];
    const leaving = new AbortController();
    const reading = (async () => {
      const options = { signal: leaving.signal, streamMode: "lifecycle" as const };
      for await (const { event } of client.threads.joinStream(thread_id, options)) seen.push(event);
    })().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const [approval] = await server.pending(thread_id);
    await server.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    await until(() => seen.includes("end"));
    leaving.abort();
    await reading;
    expect(seen).toEqual(["metadata", "end"]);
  });
});

async function firstOf<Item>(items: AsyncIterable<Item>): Promise<Item | undefined> {
  for await (const item of items) return item;
  return undefined;
}

describe("a webhook", () => {
  it("is told how a run ended, again when it did not answer well", async () => {
    const told: Record<string, unknown>[] = [];
    const receiver = createHttp((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        told.push(JSON.parse(body) as Record<string, unknown>);
        response.writeHead(told.length === 1 ? 500 : 200).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void receiver.close());
    const { port } = receiver.address() as AddressInfo;
    const server = await bench(steps, { allowWebhookHosts: ["127.0.0.1"] });
    const client = sdkOf(server);
    const { thread_id } = await client.threads.create();
    const webhook = `http://127.0.0.1:${port}/ended`;
    await client.runs.create(thread_id, "agent", { input, webhook, metadata: { team: "blue" } });
    await until(() => told.length === 2);
    expect(told[1]).toMatchObject({ thread_id, status: "interrupted", metadata: { team: "blue" } });
    expect((told[1]!["values"] as { __interrupt__: unknown[] }).__interrupt__).toHaveLength(1);
  });

  it("is refused when it is no address", async () => {
    const server = await bench(steps);
    const { thread_id } = await sdkOf(server).threads.create();
    const { body } = await server.post(`/threads/${thread_id}/runs`, {
      ...{ assistant_id: "agent", input, webhook: "file:///etc/passwd" },
    });
    expect(body).toMatchObject({ code: "invalid_request", errors: [{ path: "webhook" }] });
  });
});
