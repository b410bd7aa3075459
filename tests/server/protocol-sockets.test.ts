import { describe, expect, it } from "vitest";
import { bench, remove, until, type Json } from "./bench.ts";
import { Socket } from "./follow.ts";

const steps = [remove("a"), { content: "done" }];

interface Open {
  socket: WebSocket;
  messages: Json[];
  send: (message: unknown) => void;
  /** The code that it was closed with. */
  closed: Promise<number>;
}

async function opened(url: string, headers: Record<string, string> = {}): Promise<Open> {
  const socket = new Socket(`${url.replace("http", "ws")}/threads/t/stream/events`, { headers });
  const messages: Json[] = [];
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener("close", ({ code }) => resolve(code)),
  );
  socket.addEventListener("message", ({ data }) => messages.push(JSON.parse(String(data)) as Json));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", (event) => reject(new Error((event as unknown as Error).message)));
  });
  const send = (message: unknown): void =>
    socket.send(typeof message === "string" ? message : JSON.stringify(message));
  return { socket, messages, send, closed };
}

describe("a web socket", () => {
  it("is not opened for a page of a foreign origin, nor under a foreign name", async () => {
    const { url } = await bench(steps, { allowOrigins: ["https://chat.example"] });
    await expect(opened(url, { origin: "https://evil.example" })).rejects.toThrow("403");
    await expect(opened(url, { host: "evil.example" })).rejects.toThrow("403");
    await expect(opened(url, { "sec-fetch-site": "cross-site" })).rejects.toThrow("403");
    for (const origin of [url, "https://chat.example"]) (await opened(url, { origin })).socket.close();
  });

  it("answers what is no command and goes on", async () => {
    const { url, errors } = await bench(steps);
    const { socket, messages, send } = await opened(url);
    send("no json");
    send({ method: "run.start" });
    send({ id: -1, method: "run.start" });
    send(`{"id":1,"method":"run.start","params":${'{"a":'.repeat(70)}1${"}".repeat(71)}`);
    send({ id: 2, method: "subscription.subscribe", params: { channels: [] } });
    send({ id: 3, method: "subscription.unsubscribe", params: { subscription_id: "none" } });
    await until(() => messages.length === 6);
    expect(messages).toMatchObject([
      { type: "error", id: null, error: "invalid_argument" },
      { type: "error", id: null, error: "invalid_argument" },
      { type: "error", id: -1, error: "invalid_argument" },
      { type: "error", id: 1, error: "invalid_argument" },
      { type: "error", id: 2, error: "invalid_argument" },
      { type: "error", id: 3, error: "no_such_subscription" },
    ]);
    expect(errors).toEqual([]);
    socket.close();
  });

  it("sends what was subscribed to, each event once, until it is not any more", async () => {
    const { url, post } = await bench(steps);
    const { socket, messages, send } = await opened(url);
    const params = { channels: ["lifecycle"], namespaces: [[]], depth: 0 };
    send({ id: 1, method: "subscription.subscribe", params });
    send({ id: 2, method: "subscription.subscribe", params });
    await until(() => messages.length === 2);
    await post("/threads/t/commands", {
      ...{ id: 1, method: "run.start" },
      params: { assistant_id: "agent", input: { messages: [{ role: "user", content: "go" }] } },
    });
    const told = () =>
      messages.slice(2).map(({ params }) => params?.["data"]?.["event"] as unknown as string);
    await until(() => told().includes("interrupted"));
    expect(told()).toEqual(["running", "interrupted"]);
    for (const [index, { result }] of messages.slice(0, 2).entries())
      send({
        id: 3 + index,
        method: "subscription.unsubscribe",
        params: { subscription_id: result?.["subscription_id"] },
      });
    send({ id: 5, method: "subscription.subscribe", params });
    await until(() => messages.some(({ id }) => (id as unknown) === 5) && messages.length === 9);
    expect(messages[6]).toMatchObject({ id: 5, result: { replayed_events: 2 } });
    expect(messages.slice(7).map(({ params }) => params?.["data"]?.["event"])).toEqual([
      "running",
      "interrupted",
    ]);
    socket.close();
  });

  it("tells subscriptions that come together what there was in one order, and what comes meanwhile behind it", async () => {
    const { url, post } = await bench(steps);
    const { socket, messages, send } = await opened(url);
    send({ id: 1, method: "subscription.subscribe", params: { channels: ["lifecycle"] } });
    const input = { messages: [{ role: "user", content: "go" }] };
    await post("/threads", { thread_id: "t" });
    await post("/threads/t/runs/wait", { assistant_id: "agent", input });
    const back = await opened(url);
    // As the official client does when its connection broke.
    back.send({ id: 1, method: "subscription.subscribe", params: { channels: ["lifecycle"] } });
    back.send({ id: 2, method: "subscription.subscribe", params: { channels: ["lifecycle", "values"] } });
    const told = () => back.messages.filter(({ seq }) => seq !== undefined);
    const word = ({ method, params }: Json) => params?.["data"]?.["event"] ?? method;
    await until(() => told().length >= 6);
    const seqs = told().map(({ seq }) => seq as unknown as number);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
    expect([word(told()[0]!), word(told().at(-1)!)]).toEqual(["running", "interrupted"]);
    expect(told().map(word)).toContain("values");
    await post("/threads/t/runs/wait", { assistant_id: "agent", command: { resume: { type: "approve" } } });
    await until(() => word(told().at(-1)!) === ("completed" as unknown as Json));
    expect(messages.length).toBeGreaterThan(1);
    socket.close();
    back.socket.close();
  });

  it("is closed on a message that is too large, and when the server stops", async () => {
    const { url, server } = await bench(steps);
    const large = await opened(url);
    large.send(`"${"x".repeat(1024 * 1024)}"`);
    expect(await large.closed).toBe(1009);
    const open = await Promise.all(Array.from({ length: 20 }, () => opened(url)));
    await server.stop();
    expect(await Promise.all(open.map(({ closed }) => closed))).toEqual(open.map(() => 1001));
  });
});
