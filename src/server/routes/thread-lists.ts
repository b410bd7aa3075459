import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { ownerSeenBy } from "../identity/own-threads.ts";
import { decider, principalOf, seesWhole } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import { jsonAnswer, jsonBody, problemAnswer, ThreadId } from "../schemas.ts";
import { extract, isPath } from "../threads/extract.ts";
import { findThreads, type ThreadFilter } from "../threads/find-threads.ts";
import { pruneThreads } from "../threads/prune-threads.ts";
import { viewThread } from "../threads/thread-view.ts";
import { ThreadStatus } from "./threads.ts";

const Filter = z.looseObject({
  ids: z.array(ThreadId).max(1_000).nullish(),
  status: ThreadStatus.nullish().describe("How they really stand."),
  metadata: z.record(z.string(), z.unknown()).nullish().describe("What their metadata holds."),
  values: z.record(z.string(), z.unknown()).nullish().describe("What their newest state holds."),
});

const search = createRoute({
  method: "post",
  path: "/threads/search",
  summary: "Search threads",
  request: {
    body: jsonBody(
      Filter.extend({
        limit: z.number().int().min(1).max(1_000).nullish(),
        offset: z.number().int().min(0).nullish(),
        sort_by: z.enum(["created_at", "updated_at", "state_updated_at", "thread_id", "status"]).nullish(),
        sort_order: z.enum(["asc", "desc"]).nullish(),
        select: z.array(z.string()).nullish().describe("The fields to answer with. Default: all."),
        extract: z
          .record(
            z.string().max(200),
            z.string().max(500).refine(isPath, "write it as values.messages[-1].content"),
          )
          .refine((paths) => Object.keys(paths).length <= 10, "names more than 10 places")
          .nullish()
          .describe("Places in the threads, by names of one's own; what stands there comes as `extracted`."),
      }),
      "Which ones.",
    ),
  },
  responses: {
    200: jsonAnswer(z.array(z.looseObject({})), "Those found."),
    422: { description: "`invalid_request`" },
    default: problemAnswer,
  },
});

const count = createRoute({
  method: "post",
  path: "/threads/count",
  summary: "Count threads",
  request: { body: jsonBody(Filter, "Which ones.") },
  responses: { 200: jsonAnswer(z.number().int(), "How many there are."), default: problemAnswer },
});

const prune = createRoute({
  method: "post",
  path: "/threads/prune",
  summary: "Delete threads, or all but their newest states",
  description:
    "`keep_latest` leaves a thread as it is while a run is live, a question is open or a step is still to be taken.",
  request: {
    body: jsonBody(
      z.looseObject({
        thread_ids: z.array(ThreadId).max(1_000),
        strategy: z.enum(["delete", "keep_latest"]).nullish().describe("Default: `delete`."),
      }),
      "Which ones.",
    ),
  },
  responses: {
    200: jsonAnswer(z.looseObject({ pruned_count: z.number().int() }), "How many were pruned."),
    default: problemAnswer,
  },
});

/** The LangGraph API's threads, several at once. */
export function threadListRoutes(app: OpenAPIHono, parts: ServerParts): void {
  const { ports, manager } = parts;

  app.openapi(search, async (c) => {
    const { limit, offset, select, sort_by, sort_order, extract: paths, ...filter } = c.req.valid("json");
    const found = await findThreads(parts, {
      ...filterOf(filter),
      owner: ownerSeenBy(principalOf(c)),
      // A state is written by runs and by writes, and each of them sets the other time too.
      ...(sort_by && { sort_by: sort_by === "state_updated_at" ? "updated_at" : sort_by }),
      ...(sort_order && { sort_order }),
    });
    const from = offset ?? 0;
    const to = from + (limit ?? 10);
    const isWhole = seesWhole(principalOf(c));
    const threads: Record<string, unknown>[] = [];
    for (const row of found.slice(from, to)) {
      const view = { ...(await viewThread(ports, row, manager.isLive(row.thread_id), { isWhole })) };
      const fields = Object.entries(view).filter(([key]) => !select || select.includes(key));
      threads.push({ ...Object.fromEntries(fields), ...(paths && { extracted: extract(view, paths) }) });
    }
    c.header("X-Pagination-Total", String(found.length));
    if (to < found.length) c.header("X-Pagination-Next", String(to));
    return c.json(threads, 200);
  });

  app.openapi(count, async (c) => {
    const found = await findThreads(parts, {
      ...filterOf(c.req.valid("json")),
      owner: ownerSeenBy(principalOf(c)),
    });
    return c.json(found.length, 200);
  });

  app.openapi(prune, async (c) => {
    const { thread_ids, strategy } = c.req.valid("json");
    return c.json(
      { pruned_count: await pruneThreads(parts, thread_ids, strategy ?? "delete", decider(principalOf(c))) },
      200,
    );
  });
}

function filterOf({ ids, status, metadata, values }: z.infer<typeof Filter>): ThreadFilter {
  return {
    ...(ids && { ids }),
    status: status ?? undefined,
    metadata: metadata ?? undefined,
    values: values ?? undefined,
  };
}
