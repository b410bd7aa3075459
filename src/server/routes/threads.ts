import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { isoTime } from "../../desk/index.ts";
import type { ThreadRow } from "../database/tables.ts";
import { decider, hasRole, principalOf, seesWhole, type Principal } from "../identity/principal.ts";
import { forbidden, noThread } from "../identity/may.ts";
import { keptFor, Ttl, TtlView } from "../keeping/ttl.ts";
import type { ServerParts } from "../parts.ts";
import { jsonAnswer, jsonBody, problemAnswer, ThreadId } from "../schemas.ts";
import { copyThread } from "../threads/copy-thread.ts";
import { createThread } from "../threads/create-thread.ts";
import { deleteThread, eraseLeft } from "../threads/delete-thread.ts";
import { threadOf } from "../threads/new-thread.ts";
import { viewThread } from "../threads/thread-view.ts";

export const ThreadStatus = z.enum(["idle", "busy", "interrupted", "error"]).meta({ id: "ThreadStatus" });

export const Thread = z
  .looseObject({
    thread_id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    state_updated_at: z.string().optional().describe("When its newest state was written."),
    metadata: z.record(z.string(), z.unknown()),
    status: ThreadStatus,
    values: z.unknown().describe("The graph's state; `null` before a graph ran."),
    interrupts: z
      .record(z.string(), z.array(z.looseObject({ id: z.string(), value: z.unknown() })))
      .describe("What is open, by task."),
    ttl: TtlView.optional().describe("How long it is kept, where that was said."),
  })
  .meta({ id: "Thread" });

const Metadata = z.record(z.string(), z.unknown());
const Keep = Ttl.nullish().describe(
  "For how many minutes the thread is kept after something happened on it last; `null`: until it is deleted.",
);
const params = z.object({ thread_id: ThreadId });
const noContent = { 204: { description: "It is gone." }, default: problemAnswer };
const thread = {
  200: jsonAnswer(Thread, "The thread."),
  404: { description: "`thread_not_found`" },
  default: problemAnswer,
};

const Update = z.looseObject({
  values: z.unknown().optional(),
  command: z
    .looseObject({
      update: z.unknown().optional(),
      goto: z.unknown().optional(),
      resume: z.unknown().optional(),
    })
    .nullish(),
  as_node: z.string().max(200).nullish(),
});

const create = createRoute({
  method: "post",
  path: "/threads",
  summary: "Create a thread",
  request: {
    body: jsonBody(
      z.looseObject({
        thread_id: ThreadId.nullish(),
        metadata: Metadata.nullish().describe("`graph_id` names the graph that it is for."),
        if_exists: z.enum(["raise", "do_nothing"]).nullish().describe("Default: `raise`."),
        supersteps: z
          .array(z.looseObject({ updates: z.array(Update).min(1).max(100) }))
          .max(1_000)
          .nullish()
          .describe("States to begin with, each written in the names of nodes. They need a `graph_id`."),
        ttl: Keep,
      }),
      "What is known of it.",
    ),
  },
  responses: {
    ...thread,
    409: { description: "`thread_exists`" },
    422: { description: "`invalid_request`, `not_supported`" },
  },
});

const get = createRoute({
  method: "get",
  path: "/threads/{thread_id}",
  summary: "One thread",
  request: { params },
  responses: thread,
});

const update = createRoute({
  method: "patch",
  path: "/threads/{thread_id}",
  summary: "Add to the metadata of a thread",
  description: "With the header `Prefer: return=minimal` the answer is empty.",
  request: {
    params,
    body: jsonBody(
      z.looseObject({
        metadata: Metadata.nullish().describe("What is added. Keys that are there already are replaced."),
        ttl: Keep,
      }),
      "What changes.",
    ),
  },
  responses: { ...thread, 204: { description: "It is changed." } },
});

const remove = createRoute({
  method: "delete",
  path: "/threads/{thread_id}",
  summary: "Delete a thread",
  description:
    "Its open questions end as `cancelled`. Where something was decided on it, deleting it is an admin's. What the ledger holds of it is erased: types, times and digests stay, so that " +
    "the chain still proves them.",
  request: { params },
  responses: noContent,
});

const copy = createRoute({
  method: "post",
  path: "/threads/{thread_id}/copy",
  summary: "Copy a thread with its states",
  description:
    "What is open is not copied: the copy of a thread that waits for an answer is idle and stands before the question. " +
    "A run with no input asks there anew.",
  request: { params },
  responses: { ...thread, 409: { description: "`thread_busy`" } },
});

/** The LangGraph API's threads, one by one. */
export function threadRoutes(app: OpenAPIHono, parts: ServerParts): void {
  const { ports, manager } = parts;
  const view = async (c: Context, row: ThreadRow) => {
    const isWhole = seesWhole(principalOf(c));
    return { ...(await viewThread(ports, row, manager.isLive(row.thread_id), { isWhole })) };
  };

  app.openapi(create, async (c) => {
    const { thread_id, metadata, if_exists, supersteps, ttl } = c.req.valid("json");
    // A thread that says nothing is kept until somebody deletes it, unless the project says for how long.
    if (ttl !== undefined && (ttl !== null || parts.ttl !== null)) assertMayEnd(principalOf(c));
    const row = await createThread(parts, {
      thread_id: thread_id ?? undefined,
      metadata: metadata ?? {},
      ttl,
      by: principalOf(c),
      if_exists: if_exists ?? "raise",
      supersteps: (supersteps ?? []).map(({ updates }) => updates.map(firstUpdate)),
    });
    return c.json(await view(c, row), 200);
  });

  app.openapi(get, async (c) =>
    c.json(await view(c, await threadOf(ports, c.req.valid("param").thread_id)), 200),
  );

  app.openapi(update, async (c) => {
    const { thread_id } = c.req.valid("param");
    const { metadata, ttl } = c.req.valid("json");
    if (ttl !== undefined) assertMayEnd(principalOf(c));
    await threadOf(ports, thread_id);
    await ports.threads.addMetadata(thread_id, metadata ?? {}, isoTime(ports.clock));
    if (ttl !== undefined) await ports.threads.change(thread_id, () => keptFor(ttl, ports.clock()));
    if (c.req.header("prefer")?.includes("return=minimal")) return c.body(null, 204);
    return c.json(await view(c, await threadOf(ports, thread_id)), 200);
  });

  app.openapi(remove, async (c) => {
    const { thread_id } = c.req.valid("param");
    const principal = principalOf(c);
    const row = await ports.threads.get(thread_id);
    const isLeft = row === undefined && hasRole(principal, "admin");
    if (isLeft && (await eraseLeft(parts, thread_id, decider(principal)))) return c.body(null, 204);
    if (row === undefined) throw noThread(thread_id);
    // A deletion erases who allowed what, which whoever asked for it may not do by themselves.
    if (!hasRole(principal) && (await hasDecisions(ports.ledger, thread_id))) throw forbidden(principal, []);
    await deleteThread(parts, row, decider(principal));
    return c.body(null, 204);
  });

  app.openapi(copy, async (c) => {
    const row = await threadOf(ports, c.req.valid("param").thread_id);
    return c.json(await view(c, await copyThread(parts, row, principalOf(c).id)), 200);
  });
}

/** An end of life erases what was decided, so it is an admin's to set. @throws {ServerError} `forbidden` */
function assertMayEnd(principal: Principal): void {
  if (!hasRole(principal)) throw forbidden(principal, []);
}

async function hasDecisions(ledger: ServerParts["ports"]["ledger"], thread_id: string): Promise<boolean> {
  const all = await ledger.countApprovals({ thread_id, status: "all" });
  return all > (await ledger.countApprovals({ thread_id, status: "pending" }));
}

function firstUpdate({ values, command, as_node }: z.infer<typeof Update>) {
  return { values: values ?? null, command: command ?? undefined, as_node: as_node ?? undefined };
}
