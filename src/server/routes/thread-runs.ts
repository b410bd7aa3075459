import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { RunRow } from "../database/tables.ts";
import { assertMayCancel } from "../identity/may.ts";
import { principalOf, type Principal } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { Run } from "../runs/run.ts";
import { rowStatuses, RunSchema, viewRun } from "../runs/run-view.ts";
import {
  endedEvents,
  endedValues,
  knownRun,
  placeOf,
  serveEvents,
  serveStream,
  serveValues,
} from "../runs/serve-run.ts";
import { isWanted } from "../runs/stream-modes.ts";
import { jsonAnswer, problemAnswer, ThreadId } from "../schemas.ts";
import { threadOf } from "../threads/new-thread.ts";
import { isUnreadable, readNow, statusOf } from "../threads/thread-view.ts";

export const RunId = z.string().max(100).describe("The run.");
const Status = z.enum(["pending", "running", "success", "interrupted", "error", "timeout"]);
export const Flag = z.enum(["0", "1", "true", "false"]).optional();
export const runParams = z.object({ thread_id: ThreadId, run_id: RunId });
const LastEventId = z.object({
  "last-event-id": z.string().max(100).optional().describe("The last event you saw."),
});
const stream_mode = z.union([z.string(), z.array(z.string())]).optional();
export const notFound = {
  404: { description: "`thread_not_found`, `run_not_found`" },
  default: problemAnswer,
};
const events = { description: "Its events.", content: { "text/event-stream": { schema: z.string() } } };

const list = createRoute({
  ...{ method: "get", path: "/threads/{thread_id}/runs", summary: "The runs of a thread, newest first" },
  request: {
    params: z.object({ thread_id: ThreadId }),
    query: z.object({
      limit: z.coerce.number().int().min(1).max(1_000).openapi({ type: "integer" }).optional(),
      offset: z.coerce.number().int().min(0).openapi({ type: "integer" }).optional(),
      status: Status.optional(),
      select: z.union([z.string(), z.array(z.string())]).optional(),
    }),
  },
  responses: { 200: jsonAnswer(z.array(RunSchema.partial()), "The runs."), ...notFound },
});
const get = createRoute({
  ...{ method: "get", path: "/threads/{thread_id}/runs/{run_id}", summary: "One run" },
  request: { params: runParams },
  responses: { 200: jsonAnswer(RunSchema, "The run."), ...notFound },
});
const remove = createRoute({
  ...{ method: "delete", path: "/threads/{thread_id}/runs/{run_id}", summary: "Forget a run that has ended" },
  request: { params: runParams },
  responses: {
    204: { description: "It is gone. What it did to its thread stays." },
    409: { description: "`run_live`: it goes on, waits for its turn, or waits for a decision" },
    ...notFound,
  },
});
const join = createRoute({
  ...{ method: "get", path: "/threads/{thread_id}/runs/{run_id}/join", summary: "Wait for a run" },
  request: { params: runParams, query: z.object({ cancel_on_disconnect: Flag }) },
  responses: { 200: jsonAnswer(z.looseObject({}), "What it left."), ...notFound },
});
const reading = {
  description:
    "From its beginning, or behind `Last-Event-ID`. A run that has ended shows what it left, and its end.",
  responses: { 200: events, ...notFound },
};
const read = { query: z.object({ cancel_on_disconnect: Flag, stream_mode }), headers: LastEventId };
const joinStream = createRoute({
  ...{
    method: "get",
    path: "/threads/{thread_id}/runs/{run_id}/stream",
    summary: "Read the stream of a run",
  },
  ...reading,
  request: { params: runParams, ...read },
});
const joinStreamAlone = createRoute({
  ...{ method: "get", path: "/runs/{run_id}/stream", summary: "Read the stream of a run by its id alone" },
  ...reading,
  request: { params: runParams.pick({ run_id: true }), ...read },
});
/** The LangGraph API's runs after their beginning: look, wait, read, forget. */
export function threadRunRoutes(app: OpenAPIHono, parts: ServerParts): void {
  const { ports } = parts;
  app.openapi(list, async (c) => {
    const { thread_id } = await threadOf(ports, c.req.valid("param").thread_id);
    const { limit = 10, offset = 0, status, select } = c.req.valid("query");
    const statuses = status && rowStatuses(status);
    const found = await ports.runs.list(thread_id, { statuses, limit, offset });
    const keys = select === undefined ? null : new Set([select].flat());
    const shown = found.map((record) =>
      Object.fromEntries(Object.entries(viewRun(record)).filter(([key]) => keys === null || keys.has(key))),
    );
    return c.json(shown, 200);
  });

  app.openapi(get, async (c) => c.json(viewRun(await recordOf(parts, c.req.valid("param"))), 200));

  app.openapi(remove, async (c) => {
    const { run_id, status } = await recordOf(parts, c.req.valid("param"));
    if (["pending", "running", "drained"].includes(status))
      throw new ServerError("run_live", "The run has not ended. Cancel it first.");
    if (status === "interrupted" && (await isPaused(parts, run_id, c.req.valid("param").thread_id)))
      throw new ServerError(
        "run_live",
        "The run has not ended: it goes on with what is decided. Decide what is open, or cancel the run first.",
      );
    await ports.runs.remove(run_id);
    return c.body(null, 204);
  });

  app.openapi(join, async (c) => {
    const endsWith = await leaverOf(c, parts, c.req.valid("query"), c.req.valid("param"));
    const found = await foundRun(parts, c.req.valid("param"));
    if (!(found instanceof Run)) return c.json(await endedValues(parts, found), 200);
    return serveValues(c, parts, found, { endsWith });
  });

  app.openapi(joinStream, async (c) => {
    const endsWith = await leaverOf(c, parts, c.req.valid("query"), c.req.valid("param"));
    const found = await foundRun(parts, c.req.valid("param"));
    return serveReading(c, parts, found, { ...c.req.valid("query"), ...c.req.valid("header"), endsWith });
  });
  app.openapi(joinStreamAlone, async (c) => {
    const endsWith = await leaverOf(c, parts, c.req.valid("query"), c.req.valid("param"));
    const found = await foundRun(parts, c.req.valid("param"));
    return serveReading(c, parts, found, { ...c.req.valid("query"), ...c.req.valid("header"), endsWith });
  });
}

/** Whether a run that stopped at a question is what its thread goes on with, once that is decided or as it was decided. */
async function isPaused({ ports }: ServerParts, run_id: string, thread_id: string): Promise<boolean> {
  const row = await threadOf(ports, thread_id);
  if (row.run_id !== run_id) return false;
  const now = await readNow(ports, row).catch((error: unknown) => {
    // Nothing can go on with a thread that cannot be read.
    if (isUnreadable(error)) return null;
    throw error;
  });
  return now !== null && statusOf(row, now, false) === "interrupted";
}

/** Who cancels a run by leaving; `null` where nobody wants that. @throws {ServerError} `forbidden` */
async function leaverOf(
  c: Context,
  parts: ServerParts,
  { cancel_on_disconnect }: { cancel_on_disconnect?: string | undefined },
  named: { thread_id?: string; run_id: string },
): Promise<Principal | null> {
  if (!isSet(cancel_on_disconnect)) return null;
  const by = principalOf(c);
  await assertMayCancel(parts, by, named, "cancel_on_disconnect");
  return by;
}

type Reading = Pick<z.infer<typeof read.query>, "stream_mode"> &
  z.infer<typeof read.headers> & { endsWith: Principal | null };

function serveReading(c: Context, parts: ServerParts, found: Run | RunRow, reading: Reading): Response {
  const { endsWith, stream_mode, "last-event-id": after } = reading;
  const modes = stream_mode === undefined ? null : new Set([stream_mode].flat());
  if (found instanceof Run) return serveStream(c, parts, found, { endsWith, modes, after });
  c.header("Content-Location", placeOf(found));
  return serveEvents(c, parts, async (out) => {
    for (const event of await endedEvents(parts, found))
      if (isWanted(event.event, modes)) await out.writeSSE(event);
  });
}

/**
 * A run as this process knows it, also when its thread went with its end; or the row of one that has ended.
 *
 * @throws {ServerError} `thread_not_found`, `run_not_found`
 */
async function foundRun(
  parts: ServerParts,
  { thread_id, run_id }: { thread_id?: string; run_id: string },
): Promise<Run | RunRow> {
  const known = parts.ports.registry.get(run_id);
  if (known && (thread_id === undefined || known.thread_id === thread_id)) return known;
  if (thread_id !== undefined) {
    const record = await recordOf(parts, { thread_id, run_id });
    return knownRun(parts, record) ?? record;
  }
  const record = await parts.ports.runs.get(run_id);
  if (!record) throw new ServerError("run_not_found", `There is no run "${run_id}".`);
  return knownRun(parts, record) ?? record;
}

export function isSet(flag: string | undefined): boolean {
  return flag === "1" || flag === "true";
}

/** The row of a thread's run. @throws {ServerError} `thread_not_found`, `run_not_found` */
export async function recordOf(
  { ports }: ServerParts,
  { thread_id, run_id }: z.infer<typeof runParams>,
): Promise<RunRow> {
  await threadOf(ports, thread_id);
  const record = await ports.runs.get(run_id);
  if (record?.thread_id === thread_id) return record;
  throw new ServerError("run_not_found", `This thread has no run "${run_id}".`);
}
