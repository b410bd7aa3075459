import { Keeping, renew, type Form, type Kept } from "../masking/kept.ts";
import { messageOfBlock, Pieces } from "../masking/pieces.ts";
import type { ThreadMask } from "../masking/thread-mask.ts";

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
  /** What is sent of it. */
  params: Kept;
  /** What it says, if it is a lifecycle event. */
  lifecycle: Lifecycle | null;
}

/** An event of a thread, as each client gets it. */
export interface Entry extends Told {
  seq: number;
  event_id: string;
  /** What is sent, without what its thread hides by the time it is read. */
  readonly json: string;
}

/** What is sent of a happening. */
interface Params {
  namespace: readonly string[];
  timestamp: number;
  node?: string;
  data: unknown;
}

/** What a run tells with: the pieces of messages that wait for those behind them, and what it told. */
export class Telling {
  readonly mask: ThreadMask | null;
  readonly pieces: Pieces | null;
  readonly keeping = new Keeping();

  constructor(mask: ThreadMask | null) {
    this.mask = mask;
    this.pieces = mask && new Pieces(mask);
  }
}

/** Writes a happening down, without what its thread hides from people. */
export function tell(
  { method, namespace = [], node, timestamp = Date.now(), data }: Happening,
  { mask, pieces, keeping }: Telling,
): Told {
  const form = method === "messages" ? BLOCK : WHOLE;
  const params: Params = { namespace, timestamp, ...(node !== undefined && { node }), data };
  const shown = mask === null || pieces === null ? params : form.show(params, mask, pieces);
  return {
    method,
    channel: channelOf(method, data),
    namespace,
    params: keeping.keep(shown, mask, form),
    lifecycle: method === "lifecycle" ? (data as Lifecycle) : null,
  };
}

const WHOLE: Form = {
  show: (params, mask) => ({ ...(params as Params), data: mask.show((params as Params).data) }),
  messageOf: () => null,
};
const BLOCK: Form = {
  show: (params, mask, pieces) => {
    const { data } = params as Params;
    if (mask.isEmpty) return params;
    const shown = mask.show(data, { isPartial: true });
    return { ...(params as Params), data: pieces.ofBlock(shown, placeOf(params as Params)) };
  },
  messageOf: (params) => messageOfBlock((params as Params).data, placeOf(params as Params)),
};

function placeOf({ namespace, node }: Params): string {
  return `${namespace.join("|")} ${node ?? ""}`;
}

/** Gives what was told its place. */
export function number(told: Told, seq: number, event_id: string): Entry {
  const head = JSON.stringify({ type: "event", event_id, seq, method: told.method });
  return {
    ...told,
    ...{ seq, event_id },
    get json() {
      renew(told.params);
      return `${head.slice(0, -1)},"params":${told.params.data}}`;
    },
  };
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
