import type { Context, MiddlewareHandler } from "hono";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ServerError } from "../problem.ts";
import type { Limits } from "./limits.ts";
import { clientOf } from "./limit-decisions.ts";

/** The routes whose answers stay open: those of events. */
const STREAMING = /^\/events$|\/stream$|\/stream\/events$/;

/** When a client may try again, in seconds. */
const RETRY_AFTER = 5;

/** What is there of a request that came over the network. */
interface Bindings {
  incoming?: IncomingMessage;
  outgoing?: ServerResponse;
}

/** The streams and sockets that are open. */
export class OpenStreams {
  readonly #limits: Limits;
  readonly #byClient = new Map<string, number>();
  #size = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  /** Counts a stream from its request on, before anything is begun for it. */
  readonly guard: MiddlewareHandler = async (c, next) => {
    if (!STREAMING.test(c.req.path)) return next();
    const release = this.#take(c);
    try {
      await next();
    } catch (error) {
      release();
      throw error;
    }
    if (!isOpen(c)) return release();
    const { incoming, outgoing } = (c.env ?? {}) as Partial<Bindings>;
    // A socket has no answer of its own: it is open for as long as the connection.
    const held = outgoing ?? incoming?.socket;
    if (held === undefined || held.destroyed) release();
    else held.once("close", release);
  };

  #take(c: Context): () => void {
    const { streams, streamsPerClient } = this.#limits;
    const client = clientOf(c);
    const own = this.#byClient.get(client) ?? 0;
    if (own >= streamsPerClient) throw tooMany(c, `More than ${streamsPerClient} streams of this client`);
    if (this.#size >= streams) throw tooMany(c, `More than ${streams} streams`);
    this.#byClient.set(client, own + 1);
    this.#size += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#size -= 1;
      const left = (this.#byClient.get(client) ?? 1) - 1;
      if (left === 0) this.#byClient.delete(client);
      else this.#byClient.set(client, left);
    };
  }
}

function isOpen(c: Context): boolean {
  if (c.error !== undefined) return false;
  const isSocket = c.req.header("upgrade")?.toLowerCase() === "websocket";
  return isSocket || (c.res.headers.get("content-type")?.startsWith("text/event-stream") ?? false);
}

/** Official clients send a POST again after a 503, and so begin a run again: only a reader is told to come back. */
function tooMany(c: Context, what: string): ServerError {
  const message = `${what} are open. Close some; nothing was begun.`;
  return c.req.method === "POST"
    ? new ServerError("too_many_streams", message)
    : new ServerError("too_many_readers", message, { retry_after: RETRY_AFTER });
}
