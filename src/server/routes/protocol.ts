import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import type { WSContext } from "hono/ws";
import { credentialOf } from "../identity/credential.ts";
import { principalOf } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { Command } from "../protocol/command.ts";
import { Connection, type Wire } from "../protocol/connection.ts";
import { Filter, fits } from "../protocol/filter.ts";
import { admitGuest } from "../protocol/guests.ts";
import { obey } from "../protocol/obey.ts";
import { attach } from "../protocol/standing.ts";
import { jsonAnswer, jsonBody, problemAnswer, ThreadId } from "../schemas.ts";

/** How often an open stream shows that it is alive, in milliseconds. */
const HEARTBEAT_MS = 15_000;

/** Why a socket is closed whose client may not use it any more. */
const NOT_ALLOWED = 1008;

const params = z.object({ thread_id: ThreadId });

const commands = createRoute({
  method: "post",
  path: "/threads/{thread_id}/commands",
  summary: "A command of the streaming protocol",
  description:
    "`run.start`, `input.respond`, `state.get`, `state.listCheckpoints`, `state.fork`, `agent.getTree`. What is refused " +
    "is answered too, with `type: error`.",
  request: { params, body: jsonBody(Command, "The command.") },
  responses: {
    200: jsonAnswer(
      z.looseObject({
        type: z.enum(["success", "error"]),
        id: z.number().int().nullable(),
        result: z.unknown().optional(),
        error: z
          .string()
          .optional()
          .describe("The protocol's word for a refusal, or the code of its problem."),
        message: z.string().optional(),
      }),
      "What came of it.",
    ),
    422: { description: "`invalid_request`" },
    default: problemAnswer,
  },
});

const events = createRoute({
  method: "post",
  path: "/threads/{thread_id}/stream/events",
  summary: "The events of a thread, by the streaming protocol (SSE)",
  description:
    "Those of the run that goes on and of the one before, and then as they come, across runs. A new stream begins with " +
    "how the thread stands.",
  request: { params, body: jsonBody(Filter, "Which ones.") },
  responses: {
    200: { description: "The events.", content: { "text/event-stream": { schema: z.string() } } },
    422: { description: "`invalid_request`" },
    default: problemAnswer,
  },
});

const socket = createRoute({
  method: "get",
  path: "/threads/{thread_id}/stream/events",
  summary: "Commands and events of a thread, on a web socket",
  description: "`subscription.subscribe` and `subscription.unsubscribe` are commands here.",
  request: { params },
  responses: {
    101: { description: "The socket is open." },
    426: { description: "`upgrade_required`" },
    default: problemAnswer,
  },
});

/** The streaming protocol of newer LangGraph clients: threads that are followed, and commands to them. */
export function protocolRoutes(app: OpenAPIHono, parts: ServerParts): void {
  const { sessions, closing } = parts;
  app.openapi(commands, async (c) => {
    const { thread_id } = c.req.valid("param");
    return c.json(
      { ...(await obey({ parts, sessions, thread_id, by: principalOf(c) }, c.req.valid("json"))) },
      200,
    );
  });

  app.openapi(events, (c) => {
    const { thread_id } = c.req.valid("param");
    const filter = c.req.valid("json");
    return streamSSE(
      c,
      async (out) => {
        const left = new AbortController();
        out.onAbort(() => left.abort());
        const { session, release } = attach(parts, sessions, thread_id);
        const place = { parts, sessions, thread_id, by: principalOf(c) };
        const leave = admitGuest(place, session, () => left.abort());
        const beat = setInterval(() => void out.write(": heartbeat\n\n"), HEARTBEAT_MS);
        try {
          // The client waits for a first byte before it takes the stream for open.
          await out.write(": events\n\n");
          for await (const entry of session.log.read(AbortSignal.any([left.signal, closing])))
            if (fits(entry, filter))
              await out.writeSSE({ id: entry.event_id, event: entry.method, data: entry.json });
        } finally {
          clearInterval(beat);
          leave();
          release();
        }
      },
      async (error) => parts.ports.onError(error),
    );
  });

  app.openapi(socket, async (c) => {
    const { thread_id } = c.req.valid("param");
    if (c.req.header("upgrade")?.toLowerCase() !== "websocket")
      throw new ServerError("upgrade_required", "Open a web socket here, or POST a filter for a stream.");
    return upgrade(c, parts, thread_id);
  });
}

/** Opens a socket for a client. */
async function upgrade(c: Context, parts: ServerParts, thread_id: string): Promise<Response> {
  const { sessions, sockets, ports, identity } = parts;
  let connection: Connection | null = null;
  const credential = credentialOf(c);
  let stopWatching = (): void => undefined;
  const handle = sockets.upgrade(() => ({
    onOpen: (_event, ws) => {
      connection = new Connection({ parts, sessions, thread_id, by: credential.principal }, wireOf(ws));
      stopWatching = identity.watch(credential, () => ws.close(NOT_ALLOWED, "not allowed"));
    },
    onMessage: ({ data }) => {
      const text = typeof data === "string" ? data : Buffer.from(data as ArrayBuffer).toString("utf8");
      connection?.take(text).catch((error: unknown) => ports.onError(error));
    },
    // A broken socket is closed, too.
    onClose: () => {
      stopWatching();
      connection?.close();
    },
  }));
  const response = await handle(c as Parameters<typeof handle>[0], () => Promise.resolve());
  return response ?? c.body(null, 426);
}

function wireOf(ws: WSContext): Wire {
  const raw = ws.raw as { bufferedAmount: number };
  return {
    send: (text) => ws.send(text),
    get waiting() {
      return raw.bufferedAmount;
    },
    close: (code, reason) => ws.close(code, reason),
  };
}
