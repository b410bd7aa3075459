import type { Client, ThreadStream } from "@langchain/langgraph-sdk";
import { createRequire } from "node:module";
import { afterEach } from "vitest";

/** How a client of the streaming protocol talks to the server. */
export const TRANSPORTS = ["sse", "websocket"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** A web socket as clients in browsers have it; Node.js 20 has none of its own. */
export const Socket = (
  createRequire(import.meta.url)("ws") as {
    WebSocket: new (url: string, options?: { headers?: Record<string, string> }) => WebSocket;
  }
).WebSocket;

const open = new Set<ThreadStream>();
afterEach(async () => {
  const all = [...open];
  open.clear();
  await Promise.all(all.map((stream) => stream.close()));
});

/** One event as a client heard it. */
export interface Heard {
  method: string;
  namespace: string[];
  seq: number;
  id: string;
  data: Record<string, unknown>;
}

export interface Follower {
  stream: ThreadStream;
  heard: Heard[];
  /** What was told of the thread as a whole, one word after the other. */
  lifecycle: () => string[];
}

/** Follows a thread with the official client and keeps what it hears of it. */
export function follow(client: Client, thread_id: string, transport: Transport = "sse"): Follower {
  const stream: ThreadStream = client.threads.stream(thread_id, {
    assistantId: "agent",
    transport,
    webSocketFactory: (url) => new Socket(url),
  });
  open.add(stream);
  const heard: Heard[] = [];
  stream.onEvent(({ method, params, seq = 0, event_id = "" }) => {
    const { namespace, data } = params as { namespace: string[]; data: Record<string, unknown> };
    heard.push({ method, namespace, data, seq, id: event_id });
  });
  const lifecycle = (): string[] =>
    heard
      .filter(({ method, namespace }) => method === "lifecycle" && namespace.length === 0)
      .map(({ data }) => data["event"] as string);
  return { stream, heard, lifecycle };
}
