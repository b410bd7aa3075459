import type { Pieces } from "../masking/pieces.ts";
import type { ThreadMask } from "../masking/thread-mask.ts";
import { toJson } from "../to-json.ts";

/** How a graph, or one inside it, stands. */
export type AgentStatus = "started" | "running" | "completed" | "failed" | "interrupted";

/** What a lifecycle event says. Further members are for whoever knows them. */
export interface Lifecycle {
  event: AgentStatus;
  graph_name: string;
  [member: string]: unknown;
}

/** Something that happens on a thread. */
export interface Happening {
  method: string;
  /** Where in the thread's graphs; empty for the thread as a whole. */
  namespace?: readonly string[];
  /** The node that it is of, where one is known. */
  node?: string;
  /** Milliseconds since 1970; default now. */
  timestamp?: number;
  data: unknown;
}

/** A happening written down: a graph goes on changing what it gave. It has no place in the thread's order yet. */
export interface Told {
  method: string;
  channel: string;
  namespace: readonly string[];
  /** What is sent of it, as JSON. */
  params: string;
  /** What it says, if it is a lifecycle event. */
  lifecycle: Lifecycle | null;
}

/** An event of a thread, as each client gets it. */
export interface Entry extends Told {
  seq: number;
  event_id: string;
  json: string;
}

/** Writes a happening down, without what its thread hides from people. */
export function tell(
  { method, namespace = [], node, timestamp = Date.now(), data }: Happening,
  mask: ThreadMask | null,
  pieces: Pieces | null = null,
): Told {
  const isMessage = method === "messages";
  const hidden = mask?.show(data, { isPartial: isMessage }) ?? data;
  const isPiece = isMessage && pieces !== null && mask !== null && !mask.isEmpty;
  const shown = isPiece ? pieces.ofBlock(hidden, `${namespace.join("|")} ${node ?? ""}`) : hidden;
  return {
    method,
    channel: channelOf(method, data),
    namespace,
    params: toJson({ namespace, timestamp, ...(node !== undefined && { node }), data: shown }),
    lifecycle: method === "lifecycle" ? (data as Lifecycle) : null,
  };
}

/** Gives what was told its place. */
export function number(told: Told, seq: number, event_id: string): Entry {
  const head = JSON.stringify({ type: "event", event_id, seq, method: told.method });
  return { ...told, seq, event_id, json: `${head.slice(0, -1)},"params":${told.params}}` };
}

function channelOf(method: string, data: unknown): string {
  if (method.startsWith("input.")) return "input";
  if (method !== "custom") return method;
  const name = typeof data === "object" && data !== null && "name" in data ? data.name : undefined;
  return typeof name === "string" ? `custom:${name}` : "custom";
}

/** A happening of the thread as a whole. */
export function happened(method: string, data: unknown, timestamp = Date.now()): Happening {
  return { method, timestamp, data };
}
