import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { sees } from "../identity/own-threads.ts";
import { principalOf } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import type { Run } from "../runs/run.ts";
import { serveEvents } from "../runs/serve-run.ts";
import { isWanted } from "../runs/stream-modes.ts";
import { problemAnswer, ThreadId } from "../schemas.ts";
import { threadOf } from "../threads/new-thread.ts";

const Mode = z
  .enum(["run_modes", "lifecycle", "state_update"])
  .describe(
    "`run_modes`: all that the runs show; `lifecycle`: their beginnings and ends; `state_update`: their values.",
  );

const threadStream = createRoute({
  method: "get",
  path: "/threads/{thread_id}/stream",
  summary: "Follow a thread, run after run",
  description: "Behind `Last-Event-ID` as far as that run is still known; without it, from now on.",
  request: {
    params: z.object({ thread_id: ThreadId }),
    query: z.object({ stream_mode: z.union([Mode, z.array(Mode)]).optional() }),
    headers: z.object({ "last-event-id": z.string().max(200).optional() }),
  },
  responses: {
    200: { description: "Events.", content: { "text/event-stream": { schema: z.string() } } },
    404: { description: "`thread_not_found`" },
    default: problemAnswer,
  },
});

/** The LangGraph API's stream of a thread: the events of the runs on it, whoever began them. */
export function threadStreamRoutes(app: OpenAPIHono, parts: ServerParts): void {
  const { ports } = parts;
  app.openapi(threadStream, async (c) => {
    const { thread_id } = await threadOf(ports, c.req.valid("param").thread_id);
    const wished = new Set([c.req.valid("query").stream_mode ?? "run_modes"].flat());
    const modes = wished.has("run_modes") ? null : new Set(wished.has("state_update") ? ["values"] : []);
    // An id is `run/event`, since a stream goes from one run to the next.
    const [lastRun, lastEvent] = (c.req.valid("header")["last-event-id"] ?? "").split("/");
    c.header("Location", `/threads/${thread_id}/stream`);
    return serveEvents(c, parts, async (out, signal) => {
      const runs: Run[] = ports.registry
        .of(thread_id)
        .filter((run) => (lastRun ? run.run_id >= lastRun : run.outcome === null && run.attempt > 0));
      let hear = (): void => undefined;
      const leave = ports.feeds.add(thread_id, {
        modes: ["values"],
        onRun: (run) => {
          if (!runs.includes(run)) runs.push(run);
          hear();
        },
      });
      signal.addEventListener("abort", () => hear());
      try {
        await out.write(": following\n\n");
        for (let at = 0; !signal.aborted; at += 1) {
          const run = runs[at];
          if (run === undefined) {
            at -= 1;
            await new Promise<void>((resolve) => (hear = resolve));
            continue;
          }
          const row = await ports.threads.get(thread_id);
          // The thread that was followed may be gone, and another of its name be somebody else's.
          if (row && !sees(principalOf(c), row)) return;
          if (run.mask !== null) await ports.masks.renew(thread_id, run.mask);
          const after = run.run_id === lastRun ? lastEvent : undefined;
          for await (const event of run.read(signal, after))
            if (isWanted(event.event, modes))
              await out.writeSSE({ ...event, id: `${run.run_id}/${event.id}` });
        }
      } finally {
        leave();
      }
    });
  });
}
