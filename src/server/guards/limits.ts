import { z } from "zod";
import { StartError } from "../start-error.ts";

const count = (standard: number) => z.number().int().positive().default(standard);

/** What a server takes at most. Each number has a clear answer when it is passed; see `docs/operations.md`. */
export const Limits = z.strictObject({
  /** Bytes of a body, and of a message on a socket. */
  bodyBytes: count(1024 * 1024),
  /** Levels of nesting in a body. */
  bodyDepth: count(64),
  /** Characters of a request's address. */
  urlLength: count(8 * 1024),
  /** Bytes of a request's line and headers together. */
  headerBytes: count(16 * 1024),
  /** Milliseconds until a client has sent its headers, and its whole request. */
  headersMs: count(10_000),
  requestMs: count(60_000),
  /** Messages in the input of one run. */
  inputMessages: count(1_000),
  /** Streams and sockets that are open at once: of everybody, and of one client. */
  streams: count(2_000),
  streamsPerClient: count(500),
  /** Requests of one client in a minute that decide or withdraw. */
  decisionsPerMinute: count(10_000),
  /** Questions that are open at once on one thread. */
  pendingPerThread: count(100),
});
export type Limits = z.infer<typeof Limits>;

/** The limits where none are given. */
export const DEFAULT_LIMITS: Limits = Limits.parse({});

/** The limits of a server: those that are given, and the usual ones. @throws {StartError} `bad_limit` */
export function readLimits(given: Partial<Limits> = {}): Limits {
  const read = Limits.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = ["limits", ...(issue?.path ?? [])].join(".");
  throw new StartError("bad_limit", `"${where}" is no limit: ${issue?.message ?? "it cannot be read"}.`);
}
