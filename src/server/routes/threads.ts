import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { randomUUID } from "node:crypto";
import { isoTime } from "../../desk/index.ts";
import { deleteThread } from "../threads/delete-thread.ts";
import { emptyThread, threadOf } from "../threads/new-thread.ts";
import { ServerError } from "../problem.ts";
import { jsonAnswer, jsonBody, problemAnswer, ThreadId } from "../schemas.ts";
import { matches } from "../threads/matches.ts";
import { viewThread, type ThreadView } from "../threads/thread-view.ts";
import type { ServerParts } from "../parts.ts";

const Status = z.enum(["idle", "busy", "interrupted", "error"]).meta({ id: "ThreadStatus" });

export const Thread = z
  .looseObject({
    thread_id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    metadata: z.record(z.string(), z.unknown()),
    status: Status,
    values: z.unknown().describe("The graph's state; `null` before a graph ran."),
    interrupts: z
      .record(z.string(), z.array(z.looseObject({ id: z.string(), value: z.unknown() })))
      .describe("What is open, by task."),
  })
  .meta({ id: "Thread" });

const params = z.object({ thread_id: ThreadId });
const noContent = { 204: { description: "It is gone." }, default: problemAnswer };
const thread = {
  200: jsonAnswer(Thread, "The thread."),
  404: { description: "`thread_not_found`" },
  default: problemAnswer,
};

const create = createRoute({
  method: "post",
  path: "/threads",
  summary: "Create a thread",
  request: {
    body: jsonBody(
      z.looseObject({
        thread_id: ThreadId.nullish(),
        metadata: z.record(z.string(), z.unknown()).nullish(),
        if_exists: z.enum(["raise", "do_nothing"]).nullish(),
        supersteps: z.array(z.unknown()).max(0, "initial states are not supported yet").nullish(),
      }),
      "What is known of it.",
    ),
  },
  responses: thread,
});

const get = createRoute({
  method: "get",
  path: "/threads/{thread_id}",
  summary: "One thread",
  request: { params },
  responses: thread,
});

const remove = createRoute({
  method: "delete",
  path: "/threads/{thread_id}",
  summary: "Delete a thread",
  description: "Its open questions end as `cancelled`. What the ledger holds of it stays.",
  request: { params },
  responses: noContent,
});

const search = createRoute({
  method: "post",
  path: "/threads/search",
  summary: "Search threads",
  request: {
    body: jsonBody(
      z.looseObject({
        ids: z.array(ThreadId).max(1_000).nullish(),
        status: Status.nullish(),
        metadata: z.record(z.string(), z.unknown()).nullish(),
        values: z.record(z.string(), z.unknown()).nullish(),
        limit: z.number().int().min(1).max(1_000).nullish(),
        offset: z.number().int().min(0).nullish(),
        sort_by: z.enum(["created_at", "updated_at", "thread_id", "status"]).nullish(),
        sort_order: z.enum(["asc", "desc"]).nullish(),
        select: z.array(z.string()).nullish(),
      }),
      "Which ones.",
    ),
  },
  responses: {
    200: jsonAnswer(z.array(z.looseObject({})), "Those found."),
    422: { description: "" },
    default: problemAnswer,
  },
});

/** The LangGraph API's threads. */
export function threadRoutes(app: OpenAPIHono, parts: ServerParts): void {
  const { ports, manager } = parts;
  const view = async (row: Parameters<typeof viewThread>[1]): Promise<ThreadView> =>
    viewThread(ports, row, manager.isLive(row.thread_id));

  app.openapi(create, async (c) => {
    const { thread_id, metadata, if_exists } = c.req.valid("json");
    const row = emptyThread(thread_id ?? randomUUID(), metadata ?? {}, isoTime(ports.clock));
    if (!(await ports.threads.add(row)) && if_exists !== "do_nothing")
      throw new ServerError("thread_exists", `There is a thread "${row.thread_id}" already.`);
    return c.json({ ...(await view(await threadOf(ports, row.thread_id))) }, 200);
  });

  app.openapi(get, async (c) =>
    c.json({ ...(await view(await threadOf(ports, c.req.valid("param").thread_id))) }, 200),
  );

  app.openapi(remove, async (c) => {
    await deleteThread(parts, await threadOf(ports, c.req.valid("param").thread_id));
    return c.body(null, 204);
  });

  app.openapi(search, async (c) => {
    const wanted = c.req.valid("json");
    const { limit, offset, select, metadata, values } = wanted;
    const rows = await ports.threads.search({
      ...(wanted.ids && { ids: wanted.ids }),
      ...(wanted.status && { status: wanted.status }),
      ...{ sort_by: wanted.sort_by ?? "created_at", sort_order: wanted.sort_order ?? "desc" },
    });
    let found = rows.filter((row) => matches(JSON.parse(row.metadata_json), metadata ?? {}));
    if (values) {
      const kept = await Promise.all(found.map(async (row) => matches((await view(row)).values, values)));
      found = found.filter((_, index) => kept[index]);
    }
    const from = offset ?? 0;
    const to = from + (limit ?? 10);
    const views: Record<string, unknown>[] = [];
    for (const row of found.slice(from, to)) views.push(selected(await view(row), select));
    c.header("X-Pagination-Total", String(found.length));
    if (to < found.length) c.header("X-Pagination-Next", String(to));
    return c.json(views, 200);
  });
}

function selected(view: ThreadView, select: readonly string[] | null | undefined): Record<string, unknown> {
  const entries = Object.entries(view);
  return Object.fromEntries(select ? entries.filter(([key]) => select.includes(key)) : entries);
}
