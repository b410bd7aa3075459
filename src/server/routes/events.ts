import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { streamSSE } from "hono/streaming";
import {
  EventMasker,
  wireEvent,
  type EventQuery,
  type Ledger,
  type LedgerEvent,
} from "../../ledger/index.ts";
import { principalOf } from "../identity/principal.ts";
import type { DeskParts } from "../parts.ts";
import { problemAnswer, ThreadId } from "../schemas.ts";

/** How often an idle stream shows that it is alive, and how often it looks for what other processes wrote. */
const HEARTBEAT_MS = 15_000;
const LOOK_MS = 1_000;
const PAGE = 500;

const events = createRoute({
  method: "get",
  path: "/events",
  summary: "Live events (SSE)",
  description:
    "Each event's `id` is its `seq` in the ledger. `Last-Event-ID` goes on where a stream broke; without it, it begins " +
    "with what happens from now on. A comment every 15 s.",
  request: {
    query: z.object({ thread_id: ThreadId.optional() }),
    headers: z.object({
      "last-event-id": z
        .string()
        .regex(/^\d{1,15}$/, "a whole number")
        .optional()
        .describe("The last `seq` you saw."),
    }),
  },
  responses: {
    200: { description: "The events.", content: { "text/event-stream": { schema: z.string() } } },
    422: { description: "`invalid_request`" },
    default: problemAnswer,
  },
});

/** The live events of one thread or of all. */
export function eventRoutes(app: OpenAPIHono, { ports, closing, tail, threadsSeenBy }: DeskParts): void {
  const { ledger } = ports;
  app.openapi(events, async (c) => {
    const { thread_id } = c.req.valid("query");
    const last = c.req.valid("header")["last-event-id"];
    const among = threadsSeenBy(principalOf(c));
    const after = last === undefined ? (await ledger.head()).seq : Number(last);
    return streamSSE(
      c,
      async (out) => {
        const left = new AbortController();
        out.onAbort(() => left.abort());
        const signal = AbortSignal.any([left.signal, closing]);
        const masker = new EventMasker(ledger, (graph_id) => ports.masks?.ofGraph(graph_id) ?? []);
        const beat = setInterval(() => void out.write(": \n\n"), HEARTBEAT_MS);
        try {
          await out.write(": events\n\n");
          for await (const event of follow({ ledger, tail, masker }, { after, thread_id, among }, signal)) {
            const data = JSON.stringify(wireEvent(event));
            await out.writeSSE({ event: event.type, id: String(event.seq), data });
          }
        } finally {
          clearInterval(beat);
        }
      },
      async (error) => ports.onError(error),
    );
  });
}

/** The ledger's events from a point on, and then as they come. The steps inside an execution are left out. */
async function* follow(
  { ledger, tail, masker }: { ledger: Ledger; tail: DeskParts["tail"]; masker: EventMasker },
  { after, thread_id, among }: { after: number; thread_id: string | undefined; among: EventQuery["among"] },
  signal: AbortSignal,
): AsyncGenerator<LedgerEvent> {
  let last = after;
  let hear = (): void => undefined;
  let hasNews = false;
  const news = (): void => {
    hasNews = true;
    hear();
  };
  const stops = [ledger.subscribe(news), tail?.subscribe(news)];
  try {
    while (!signal.aborted) {
      hasNews = false;
      const page = await ledger.events({
        after: last,
        limit: PAGE,
        ...(thread_id !== undefined && { thread_id }),
        ...(among !== undefined && { among }),
      });
      last = page.at(-1)?.seq ?? last;
      yield* await masker.show(page.filter(({ type }) => !type.startsWith("execution_")));
      if (page.length === PAGE || hasNews) continue;
      await new Promise<void>((resolve) => {
        const go = (): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", go);
          resolve();
        };
        const timer = setTimeout(go, LOOK_MS);
        hear = go;
        signal.addEventListener("abort", go, { once: true });
      });
    }
  } finally {
    for (const stop of stops) stop?.();
  }
}
