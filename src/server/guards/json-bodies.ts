import { bodyLimit } from "hono/body-limit";
import type { MiddlewareHandler } from "hono";
import { ServerError } from "../problem.ts";
import type { Limits } from "./limits.ts";

/** How much of a body that is too large is read before it is refused, in bytes. */
const MAX_DROPPED = 16 * 1024 * 1024;

/** LangGraph Studio sends this search as text. It changes nothing, so that it may be sent without asking does no harm. */
const SENT_AS_TEXT = "/assistants/search";

/**
 * Bodies are JSON and say so. A page can send other types without asking first, so what comes from a browser must say
 * it even without a body, unless it names its origin, which was found to be allowed before.
 */
export const onlyJson: MiddlewareHandler = async (c, next) => {
  if (["GET", "HEAD", "OPTIONS"].includes(c.req.method)) return next();
  if (c.req.path === SENT_AS_TEXT && /^text\/plain\b/i.test(c.req.header("content-type") ?? "")) {
    const headers = new Headers(c.req.raw.headers);
    headers.set("content-type", "application/json");
    c.req.raw = new Request(c.req.raw, { headers });
  }
  const type = c.req.header("content-type");
  const hasBody =
    Number(c.req.header("content-length") ?? 0) > 0 || c.req.header("transfer-encoding") !== undefined;
  const isBrowser = c.req.header("origin") === undefined && c.req.header("sec-fetch-site") !== undefined;
  const isJson = type?.split(";")[0]?.trim().toLowerCase() === "application/json";
  if (!isJson && (hasBody || isBrowser || type !== undefined))
    throw new ServerError("unsupported_media_type", 'Send JSON, with "Content-Type: application/json".');
  return next();
};

/** Refuses bodies that are too large. */
export function limitBody({ bodyBytes }: Limits): MiddlewareHandler {
  return bodyLimit({
    maxSize: bodyBytes,
    onError: async (c) => {
      await drop(c.req.raw.body);
      throw new ServerError("body_too_large", `The body is larger than ${sizeOf(bodyBytes)}.`);
    },
  });
}

function sizeOf(bytes: number): string {
  const MiB = 1024 * 1024;
  return bytes % MiB === 0 ? `${bytes / MiB} MiB` : `${bytes} bytes`;
}

/** Reads what the client is sending, so that it comes to read the answer instead of a closed connection. */
async function drop(body: ReadableStream<Uint8Array> | null): Promise<void> {
  // A body that came in pieces is being read already.
  if (body === null || body.locked) return;
  let size = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_DROPPED) return;
  }
}
