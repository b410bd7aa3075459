import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { bench, remove, runOf, until, type BenchOptions } from "./bench.ts";
import { follow, TRANSPORTS } from "./follow.ts";

const steps = [remove("a", "b"), { content: "done" }];
const input = { messages: [{ role: "user", content: "go" }] };

async function connected(options: BenchOptions = {}) {
  const server = await bench(steps, options);
  const client = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } });
  const approveAll = async (thread_id: string) => {
    const approvals = await server.pending(thread_id);
    const decisions = approvals.map(({ approval_id }) => ({ approval_id, type: "approve" }));
    expect(await server.post("/approvals/decisions", { decisions })).toMatchObject({ status: 200 });
  };
  return { ...server, client, approveAll };
}

describe.each(TRANSPORTS)("a client that follows a thread over %s", (transport) => {
  it("runs it to a pause, answers one question after the other, and sees the end", async () => {
    const { client, effects } = await connected();
    const { thread_id } = await client.threads.create();
    const { stream, lifecycle } = follow(client, thread_id, transport);
    const { run_id } = await stream.run.start({ input });
    expect(run_id).toEqual(expect.any(String));
    await until(() => lifecycle().includes("interrupted"));
    expect(stream.interrupted).toBe(true);
    expect(await stream.output).toMatchObject({ messages: [{ content: "go" }, expect.anything()] });
    const [first, second] = stream.interrupts.map(({ interruptId }) => interruptId);
    await stream.input.respond({ namespace: [], interrupt_id: first!, response: { type: "approve" } });
    await until(() => lifecycle().length === 4);
    expect(stream.interrupts.map(({ interruptId }) => interruptId)).toEqual([second]);
    const reject = { namespace: [], interrupt_id: second!, response: { type: "reject", message: "no" } };
    await stream.input.respond({ responses: [reject] });
    await until(() => lifecycle().includes("completed"));
    expect(lifecycle()).toEqual(["running", "interrupted", "running", "interrupted", "running", "completed"]);
    expect(effects.deleted).toHaveLength(1);
  });

  it("is asked about the calls of a message that says something as well", async () => {
    const calls = [{ name: "delete_file", args: { path: "a" }, id: "c_a" }];
    const server = await bench([{ content: "I delete it.", tool_calls: calls }, { content: "done" }]);
    const client = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } });
    const { thread_id } = await client.threads.create();
    const { stream, lifecycle } = follow(client, thread_id, transport);
    await stream.run.start({ input });
    await until(() => lifecycle().includes("interrupted"));
    expect(await stream.output).toMatchObject({
      messages: [{ content: "go" }, { tool_calls: [{ name: "delete_file", args: { path: "a" } }] }],
    });
  });

  it("makes its thread by the first run, and hears its messages and tools where it looks for them", async () => {
    const { client, approveAll } = await connected();
    const thread_id = "of-the-client";
    const { stream, lifecycle } = follow(client, thread_id, transport);
    await stream.run.start({ input });
    await until(() => lifecycle().includes("interrupted"));
    const messages = await stream.subscribe(["messages", "tools", "updates", "checkpoints", "custom"]);
    await approveAll(thread_id);
    await until(() => lifecycle().includes("completed"));
    await stream.close();
    const heard: { method: string; namespace: string[]; data: unknown; node?: string }[] = [];
    for await (const { method, params } of messages) heard.push({ method, ...params });
    const of = (method: string) => heard.filter((event) => event.method === method);
    expect(of("tools").map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ event: "tool-started", tool_name: "delete_file", tool_call_id: "c_a_0" }),
    );
    expect(of("tools").map(({ namespace }) => namespace.length)).toEqual([1, 1, 1, 1]);
    expect(of("messages").at(-1)).toMatchObject({ node: "agent", data: { event: "message-finish" } });
    const deltas = of("messages").flatMap(
      ({ data }) => (data as { delta?: { text?: string } }).delta?.text ?? [],
    );
    expect(deltas.join("")).toBe("done");
    expect(of("updates").at(-1)).toMatchObject({ node: "agent", data: { node: "agent", values: {} } });
    expect(of("checkpoints").at(-1)?.data).toMatchObject({ source: "loop", step: 3 });
    expect(of("custom").map(({ data }) => (data as { payload: { type: string } }).payload.type)).toContain(
      "tool_result",
    );
  });

  it("sees what is open on a thread that it comes to, and what a decision made elsewhere sets off", async () => {
    const { client, begin, approveAll, effects } = await connected();
    const { thread_id } = await begin();
    const { stream, heard, lifecycle } = follow(client, thread_id, transport);
    await stream.subscribe(["values", "input", "lifecycle"]);
    await until(() => stream.interrupts.length === 2);
    expect(heard.find(({ method }) => method === "values")?.data).toMatchObject({
      messages: [{ type: "human", content: "go" }, { type: "ai" }],
    });
    await approveAll(thread_id);
    await until(() => lifecycle().includes("completed"));
    const answered = heard.filter(({ method }) => method === "input.answered");
    expect(answered[0]?.data["interrupt_ids"]).toHaveLength(2);
    expect(lifecycle().slice(-2)).toEqual(["running", "completed"]);
    expect(effects.deleted).toHaveLength(2);
  });

  it("sees the end of a run that it finds on its way", async () => {
    const { client, begin, approveAll, effects } = await connected();
    const { thread_id } = await begin();
    let letGo = (): void => undefined;
    effects.gate = new Promise((resolve) => (letGo = resolve));
    await approveAll(thread_id);
    await until(() => effects.begun > 0);
    const { stream, heard, lifecycle } = follow(client, thread_id, transport);
    await stream.subscribe(["values", "lifecycle"]);
    await until(() => lifecycle().includes("running"));
    letGo();
    await until(() => lifecycle().includes("completed"));
    const last = heard.filter(({ method }) => method === "values").at(-1)?.data;
    expect(last).toMatchObject({ messages: [{}, {}, {}, {}, { type: "ai", content: "done" }] });
  });

  it("sees a run that a client of the older protocol begins, which loses nothing by that", async () => {
    const { client } = await connected();
    const { thread_id } = await client.threads.create();
    const { stream, heard, lifecycle } = follow(client, thread_id, transport);
    await stream.subscribe(["values", "input", "lifecycle", "messages"]);
    const streamMode = ["values", "updates", "messages-tuple"] as const;
    const older = [];
    for await (const event of client.runs.stream(thread_id, "agent", { input, streamMode: [...streamMode] }))
      older.push(event.event);
    expect([...new Set(older)].toSorted()).toEqual(
      ["end", "messages", "metadata", "updates", "values"].toSorted(),
    );
    await until(() => lifecycle().includes("interrupted"));
    expect(stream.interrupts).toHaveLength(2);
    expect(heard.filter(({ method }) => method === "values").length).toBeGreaterThan(1);
  });

  it("asks for the state, its checkpoints and the graphs that run", async () => {
    const { client, begin } = await connected();
    const { thread_id } = await begin();
    const { stream } = follow(client, thread_id, transport);
    const state = await stream.state.get({ namespace: [], keys: ["messages"] });
    expect(state).toMatchObject({ values: { messages: [{}, {}] }, checkpoint: { ns: "" } });
    expect(Object.keys((state as { values: object }).values)).toEqual(["messages"]);
    const { checkpoints } = (await stream.state.listCheckpoints({ limit: 2 })) as { checkpoints: unknown[] };
    expect(checkpoints).toMatchObject([{ step: 1 }, { step: 0 }]);
    const { tree } = (await stream.agent.getTree()) as { tree: unknown };
    expect(tree).toMatchObject({ namespace: [], status: "interrupted", graph_name: "agent" });
  });
});

describe("the stream of a thread", () => {
  const events = async (url: string, body: object, enough: (seen: Json[]) => boolean): Promise<Json[]> => {
    const left = new AbortController();
    const response = await fetch(url, {
      ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
      signal: left.signal,
    });
    const seen: Json[] = [];
    let rest = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = `${rest}${chunk}`.split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) seen.push(JSON.parse(data) as Json);
      }
      if (enough(seen)) break;
    }
    left.abort();
    return seen;
  };
  type Json = {
    seq: number;
    event_id: string;
    method: string;
    params: { namespace: string[]; data: { event?: string } };
  };
  const isOver = (seen: Json[]) => seen.some(({ params }) => params.data.event === "interrupted");

  it("is read again from where it broke, and shows only what was asked for", async () => {
    const server = await bench(steps);
    const { body } = await server.post("/threads", {});
    const thread = `/threads/${body["thread_id"] as unknown as string}`;
    const url = `${server.url}${thread}/stream/events`;
    const { stream, lifecycle } = follow(new Client({ apiUrl: server.url }), thread.slice(9));
    await stream.subscribe("lifecycle");
    await server.post(`${thread}/runs`, runOf("go"));
    await until(() => lifecycle().includes("interrupted"));
    const all = await events(url, { channels: ["lifecycle", "values", "messages", "tasks"] }, isOver);
    const seqs = all.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    expect(new Set(all.map(({ event_id }) => event_id)).size).toBe(all.length);
    const since = seqs[3]!;
    const rest = await events(url, { channels: ["lifecycle", "values", "messages", "tasks"], since }, isOver);
    expect(rest.map(({ seq }) => seq)).toEqual(seqs.slice(4));
    const root = { channels: ["lifecycle", "messages"], namespaces: [[]], depth: 0 };
    expect((await events(url, root, isOver)).map(({ params }) => params.data.event)).toEqual([
      "running",
      "interrupted",
    ]);
    const ofNode = { channels: ["lifecycle"], namespaces: [["agent"]] };
    const inner = await events(url, ofNode, (seen) => seen.length === 2);
    expect(inner.map(({ params }) => params.data.event)).toEqual(["started", "completed"]);
  });

  it("refuses a channel that there is not, and a plain GET", async () => {
    const server = await bench(steps);
    const bad = await server.post("/threads/t/stream/events", { channels: ["everything"] });
    expect(bad).toMatchObject({ status: 422, body: { code: "invalid_request" } });
    const plain = await server.get("/threads/t/stream/events");
    expect(plain).toMatchObject({ status: 426, body: { code: "upgrade_required" } });
  });
});
