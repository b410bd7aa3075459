import { tool } from "@langchain/core/tools";
import { Client, type StreamMode } from "@langchain/langgraph-sdk";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createApprovalAgent, withRisk } from "../../src/graph/index.ts";
import { scriptedModel, type Step } from "../../src/models/index.ts";
import type { PolicyInput } from "../../src/policy/index.ts";
import { createToken } from "../../src/wire.ts";
import { bench, until, type BenchOptions } from "./bench.ts";
import { follow, Socket } from "./follow.ts";

const SECRET = 'Bearer s3cr"et-hunter2-of-nobody';
/** A part that no way of writing the secret down changes. */
const TRACE = "hunter2-of-nobody";
const POLICY: PolicyInput = { version: 1, mask: ["**.authorization", "**.password"] };

const HEADERS = { Authorization: SECRET, accept: "json" };
const ask: Step = {
  content: `I send ${SECRET} along.`,
  tool_calls: [{ id: "c_1", name: "send", args: { url: "http://a", headers: HEADERS } }],
};
const silent: Step = {
  tool_calls: [{ id: "c_1", name: "send", args: { url: "http://a", headers: HEADERS } }],
};
const last: Step = (messages) => ({ content: `The tool said: ${messages.at(-1)?.text ?? ""}` });

/** A server whose tool is called with a secret and tells it, and every byte that a client got from it. */
async function masked(options: BenchOptions & { policy?: PolicyInput; steps?: Step[]; error?: string } = {}) {
  const received: unknown[] = [];
  const send = tool(
    (args: { url: string; headers: Record<string, string> }) => {
      received.push(args);
      if (options.error !== undefined) throw new Error(`${options.error} ${args.headers["Authorization"]}`);
      return { sent: args.url, debug: JSON.stringify(args), with: args.headers["Authorization"] };
    },
    {
      name: "send",
      description: "Sends.",
      schema: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }),
    },
  );
  const describe = (args: Record<string, unknown>) => `Sends ${JSON.stringify(args["headers"])}.`;
  const graph = createApprovalAgent({
    model: scriptedModel(options.steps ?? [ask, last], { strict: true }),
    tools: [withRisk(send, "approve", { describe })],
    policy: options.policy ?? POLICY,
  });
  const { steps: _steps, error: _error, policy: _policy, ...rest } = options;
  const server = await bench([], { config: { graphs: { agent: graph } }, ...rest });
  const heard: string[] = [];
  const reading: Promise<void>[] = [];
  const listening: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const copy = response.clone();
    reading.push(
      copy.text().then(
        (text) => void heard.push(text),
        () => undefined,
      ),
    );
    return response;
  };
  const client = new Client({
    apiUrl: server.url,
    callerOptions: { maxRetries: 0, fetch: listening },
  });
  const request = async (method: string, path: string, body?: unknown) => {
    const headers = { "content-type": "application/json" };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await listening(`${server.url}${path}`, init);
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text || "null") as Record<string, unknown> };
  };
  const all = async () => {
    await Promise.all(reading);
    return heard.join("\n");
  };
  return { ...server, client, request, received, heard, all };
}

const MODES: StreamMode[] = [
  ...(["values", "updates", "messages", "messages-tuple", "custom", "events"] as StreamMode[]),
  ...(["debug", "tasks", "checkpoints"] as StreamMode[]),
];
const input = { messages: [{ role: "user", content: "go" }] };

/** Where a part of the secret stands in what was heard. */
function around(heard: string): string[] {
  return [...heard.matchAll(new RegExp(TRACE, "g"))].map(({ index }) => heard.slice(index - 300, index + 40));
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

/** Reads live events from the first on, for as long as a test goes on. */
function listen(url: string): { heard: () => string } {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  let heard = "";
  void (async () => {
    const headers = { "last-event-id": "0" };
    const response = await fetch(`${url}/events`, { headers, signal: leave.signal });
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>)
      heard += Buffer.from(piece).toString();
  })().catch(() => undefined);
  return { heard: () => heard };
}

describe("a secret that policy masks", () => {
  it.each([
    ["every mode at once", MODES],
    ["single messages", ["messages-tuple", "updates"] as StreamMode[]],
    ["no messages", ["values", "updates", "debug", "custom"] as StreamMode[]],
  ])(
    "is in nothing that a client hears while its call is asked about, edited and run: %s",
    async (_, modes) => {
      // What a model writes before it makes its call is told before anybody knows what the call hides.
      const steps = modes.includes("messages-tuple") ? [silent, last] : [ask, last];
      const { client, request, received, all, url, errors } = await masked({ steps });
      const live = listen(url);
      const { thread_id } = await client.threads.create();
      await drain(
        client.runs.stream(thread_id, "agent", { input, streamMode: modes, streamSubgraphs: true }),
      );
      const { body: page } = await request("GET", "/approvals");
      const [approval] = page["approvals"] as { approval_id: string; args: object; mask: string[] }[];
      expect(approval).toMatchObject({
        args: { url: "http://a", headers: { Authorization: "***", accept: "json" } },
        mask: ["headers.Authorization"],
        description: 'Sends {"Authorization":"***","accept":"json"}.',
      });
      const at = `/approvals/${approval?.approval_id}`;
      await request("GET", at);
      await request("POST", `${at}/shown`);
      expect((await request("POST", `${at}/decision`, { type: "edit", args: { url: 1 } })).status).toBe(422);
      const moved = { type: "edit", args: { url: "http://b", headers: { password: "***" } } };
      const refused = await request("POST", `${at}/decision`, moved);
      expect(refused).toMatchObject({ status: 422, body: { code: "invalid_decision" } });
      expect(refused.body["errors"]).toMatchObject([{ path: "args.headers.password" }]);
      await client.threads.getState(thread_id, undefined, { subgraphs: true });
      const edited = {
        type: "edit",
        args: { ...approval?.args, url: "http://b" },
        reason: `It is ${SECRET}.`,
      };
      const resume = { [approval?.approval_id ?? ""]: edited };
      await drain(client.runs.stream(thread_id, "agent", { command: { resume }, streamMode: modes }));
      expect(received).toEqual([{ url: "http://b", headers: HEADERS }]);

      expect((await request("POST", `${at}/decision`, { type: "approve" })).status).toBe(409);
      await request("GET", "/approvals?status=all");
      await request("GET", "/audit");
      const state = await client.threads.getState<{ messages: { content: unknown }[] }>(thread_id);
      expect(JSON.stringify(state.values.messages.at(-1)?.content)).toContain("***");
      await client.threads.getHistory(thread_id);
      await client.threads.get(thread_id);
      await client.threads.search({
        select: ["values", "interrupts"],
        extract: { it: "values.messages[1]" },
      } as never);
      const [run] = await client.runs.list(thread_id);
      await client.runs.join(thread_id, run?.run_id ?? "");
      await drain(client.runs.joinStream(thread_id, run?.run_id ?? ""));
      await request("POST", `/threads/${thread_id}/copy`);
      await until(() => live.heard().includes('"run_stopped"') && live.heard().includes('"tool_result"'));
      const heard = `${await all()}${live.heard()}`;
      expect(heard).toContain("approval_requested");
      expect(around(heard)).toEqual([]);
      expect(errors).toEqual([]);
    },
  );

  it.each(["sse", "websocket"] as const)(
    "is in nothing that the streaming protocol tells over %s",
    async (transport) => {
      const { client, received, all, url } = await masked({ steps: [silent, last] });
      const thread_id = "followed";
      const raw: string[] = [];
      const { stream, heard, lifecycle } = follow(client, thread_id, transport);
      await stream.run.start({ input });
      await until(() => lifecycle().includes("interrupted"));
      const everything = await stream.subscribe([
        ...(["values", "messages", "tools", "updates", "custom", "input", "lifecycle", "tasks"] as const),
      ]);
      void (async () => {
        for await (const event of everything) raw.push(JSON.stringify(event));
      })();
      const socket = new Socket(`${url.replace("http", "ws")}/threads/${thread_id}/stream/events`);
      onTestFinished(() => socket.close());
      await new Promise((resolve) => socket.addEventListener("open", resolve));
      socket.addEventListener("message", ({ data }) => raw.push(String(data)));
      socket.send(JSON.stringify({ id: 1, method: "state.get", params: {} }));
      const [open] = stream.interrupts;
      await stream.input.respond({
        namespace: [],
        interrupt_id: open?.interruptId ?? "",
        response: { type: "approve" },
      });
      await until(() => lifecycle().includes("completed"));
      await until(() => raw.some((text) => text.includes('"success"')));
      const late = follow(client, thread_id, transport);
      await late.stream.subscribe(["values", "input", "lifecycle"]);
      await until(() => late.heard.length > 0);
      await Promise.all([stream.close(), late.stream.close()]);
      expect(received).toEqual([{ url: "http://a", headers: HEADERS }]);
      const told = `${await all()}${JSON.stringify([heard, late.heard])}${raw.join("\n")}`;
      expect(told).toContain("***");
      expect(around(told)).toEqual([]);
    },
  );

  it("is in no webhook, no error and no log", async () => {
    const bodies: string[] = [];
    const listener = createHttpServer((request, response) => {
      let body = "";
      request.on("data", (piece: Buffer) => (body += piece.toString()));
      request.on("end", () => {
        bodies.push(body);
        response.end();
      });
    });
    await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void listener.close());
    const { port } = listener.address() as AddressInfo;
    const failing: Step[] = [
      ask,
      (messages) => {
        throw new Error(`No answer to ${messages.at(-1)?.text}`);
      },
    ];
    const { client, request, all, errors } = await masked({
      steps: failing,
      error: "It was refused:",
      allowWebhookHosts: ["127.0.0.1"],
    });
    const webhook = `http://127.0.0.1:${port}/`;
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "agent", { input, webhook });
    const resume = { type: "approve" };
    await client.runs.wait(thread_id, "agent", { command: { resume }, webhook, raiseError: false });
    await until(() => bodies.length === 2);
    await client.threads.get(thread_id);
    await client.threads.getHistory(thread_id);
    const { text } = await request("GET", "/audit");
    expect(text).toContain("It was refused: ***");
    expect(`${await all()}${bodies.join("\n")}`).toContain("***");
    expect(`${await all()}${bodies.join("\n")}${JSON.stringify(errors.map(String))}`).not.toContain(TRACE);
  });

  it("that a model told before its call is not told again", async () => {
    const { client, heard, all, url } = await masked();
    const streamMode = ["messages-tuple", "messages", "values", "events"] as StreamMode[];
    const { thread_id } = await client.threads.create();
    await drain(client.runs.stream(thread_id, "agent", { input, streamMode }));
    // It was told when nobody knew it for a secret; what follows is told by what is known now.
    expect(await all()).toContain(TRACE);
    heard.length = 0;
    const [run] = await client.runs.list(thread_id);
    const again = await (await fetch(`${url}/threads/${thread_id}/runs/${run?.run_id}/stream`)).text();
    expect(again).toContain("I send *** along.");
    expect(around(again)).toEqual([]);
  });

  it("that was told before its call is not told again by the streaming protocol", async () => {
    const { client, url } = await masked({ steps: [silent, last] });
    const thread_id = "told-early";
    const { stream, lifecycle } = follow(client, thread_id, "sse");
    const told: unknown[] = [];
    const early = await stream.subscribe(["values"]);
    void (async () => {
      for await (const event of early) told.push(event);
    })();
    await stream.run.start({ input: { messages: [{ role: "user", content: `Use ${SECRET}, please.` }] } });
    await until(() => lifecycle().includes("interrupted"));
    const leave = new AbortController();
    const late = await fetch(`${url}/threads/${thread_id}/stream/events`, {
      ...{ method: "POST", headers: { "content-type": "application/json" }, signal: leave.signal },
      body: JSON.stringify({ channels: ["values", "messages", "updates", "input", "lifecycle"] }),
    });
    let text = "";
    for await (const piece of late.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(piece).toString();
      if (text.includes('"interrupted"')) break;
    }
    leave.abort();
    await stream.close();
    expect(JSON.stringify(told)).toContain(TRACE);
    expect(text).toContain("Use ***, please.");
    expect(around(text)).toEqual([]);
  });

  it("is not told where its run goes on in another process", async () => {
    let finish = (): void => undefined;
    const gate = new Promise<void>((resolve) => (finish = resolve));
    let isWaiting = false;
    const waiting: Step = async (messages) => {
      isWaiting = true;
      await gate;
      return { content: `The tool said: ${messages.at(-1)?.text ?? ""}` };
    };
    const first = await masked({ steps: [ask, waiting] });
    const second = await masked({ store: first.store });
    const { thread_id } = await first.client.threads.create();
    await first.client.runs.wait(thread_id, "agent", { input });
    const run = await first.client.runs.create(thread_id, "agent", {
      command: { resume: { type: "approve" } },
    });
    await until(() => isWaiting);
    const at = `${second.url}/threads/${thread_id}/runs/${run.run_id}`;
    const read = async (end: string) => (await fetch(`${at}${end}`)).text();
    const reading = Promise.all([read("/join"), read("/stream?stream_mode=values")]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    finish();
    for (const text of await reading) {
      expect(text).toContain("***");
      expect(text).not.toContain(TRACE);
    }
  });

  it("stays hidden when the server comes back and when only the run's context masked it", async () => {
    const first = await masked({ policy: { version: 1 } });
    const { thread_id } = await first.client.threads.create();
    const context = { policy: { mask: ["headers.authorization"] } };
    await first.client.runs.wait(thread_id, "agent", { input, context });
    expect(around(await first.all())).toEqual([]);
    await first.server.stop();
    const again = await masked({ policy: { version: 1 }, store: first.store });
    await again.client.threads.getState(thread_id);
    await again.client.threads.getHistory(thread_id);
    // Whoever may decide sees what only the run's context masks: see `masking-deciders.test.ts`.
    const [asked] = await again.pending();
    await again.request("POST", `/approvals/${asked!.approval_id}/decision?wait=10`, { type: "approve" });
    await again.request("GET", `/approvals/${asked!.approval_id}`);
    await again.request("GET", `/threads/${thread_id}`);
    expect(again.received).toEqual([{ url: "http://a", headers: HEADERS }]);
    expect(around(await again.all())).toEqual([]);
  });

  it("is hidden in what was asked before the policy masked it", async () => {
    const first = await masked({ policy: { version: 1 } });
    const { thread_id } = await first.client.threads.create();
    await first.client.runs.wait(thread_id, "agent", { input });
    expect(await first.all()).toContain(TRACE);
    await first.server.stop();
    const again = await masked({ store: first.store });
    await again.request("GET", "/audit");
    await again.client.threads.getState(thread_id);
    const { body } = await again.request("GET", "/approvals");
    const [{ approval_id, args }] = body["approvals"] as [{ approval_id: string; args: object }];
    const edit = { type: "edit", args: { ...args, url: "http://c" } };
    await again.request("POST", `/approvals/${approval_id}/decision?wait=10`, edit);
    expect(again.received).toEqual([{ url: "http://c", headers: HEADERS }]);
    expect(around(await again.all())).toEqual([]);
  });
});

describe("a state", () => {
  it("is shown whole to an admin with a token, and to nobody else", async () => {
    const { url, client, store } = await masked();
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "agent", { input });
    const admin = await createToken(store, { principal: "root", roles: ["admin"], expires_at: null });
    const reviewer = await createToken(store, { principal: "ada", roles: ["reviewer"], expires_at: null });
    const read = async (token: string, path: string) =>
      (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).text();
    for (const path of ["", "/state", "/history"].map((end) => `/threads/${thread_id}${end}`)) {
      await until(async () => (await read(admin.token, path)).includes(TRACE));
      expect(await read(reviewer.token, path)).toContain("***");
      expect(await read(reviewer.token, path)).not.toContain(TRACE);
    }
    expect(await read(admin.token, "/approvals")).not.toContain(TRACE);
  });
});

describe("without a mask", () => {
  it("everything is shown as it is", async () => {
    const { client, all } = await masked({ policy: { version: 1 } });
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, "agent", { input });
    expect(await all()).toContain(TRACE);
    expect(await all()).not.toContain("***");
  });
});
