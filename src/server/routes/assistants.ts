import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { filterAssistants, sortAssistants } from "../assistants/find-assistants.ts";
import * as schemas from "../assistants/schemas.ts";
import { statedOf } from "../assistants/schemas.ts";
import type { DecidedBy } from "../../ledger/index.ts";
import { decider, principalOf } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import { jsonAnswer, jsonBody, problemAnswer } from "../schemas.ts";
import { deleteThread } from "../threads/delete-thread.ts";
import { matches } from "../threads/matches.ts";

const { params } = schemas;
const unknown = { 404: { description: "`assistant_not_found`, `graph_not_found`, `version_not_found`" } };
const assistant = {
  200: jsonAnswer(schemas.AssistantSchema, "The assistant."),
  ...unknown,
  default: problemAnswer,
};

const create = createRoute({
  ...{ method: "post", path: "/assistants", summary: "Save an assistant" },
  description: "A graph with what its runs begin with, under an id. Each change makes a version.",
  request: { body: jsonBody(schemas.CreateBody, "What it is.") },
  responses: { ...assistant, 409: { description: "`assistant_exists`" } },
});

const search = createRoute({
  ...{ method: "post", path: "/assistants/search", summary: "Search assistants" },
  description: "Each graph has one by itself, with `created_by: system` in its metadata.",
  request: { body: jsonBody(schemas.SearchBody, "Which ones.") },
  responses: {
    200: jsonAnswer(z.array(z.looseObject({})), "Those found. `X-Pagination-Next` is the next offset."),
    422: { description: "`invalid_request`" },
    default: problemAnswer,
  },
});

const count = createRoute({
  ...{ method: "post", path: "/assistants/count", summary: "Count assistants" },
  request: { body: jsonBody(schemas.CountBody, "Which ones.") },
  responses: { 200: jsonAnswer(z.number().int(), "How many there are."), default: problemAnswer },
});

const get = createRoute({
  ...{ method: "get", path: "/assistants/{assistant_id}", summary: "One assistant" },
  request: { params },
  responses: assistant,
});

const update = createRoute({
  ...{ method: "patch", path: "/assistants/{assistant_id}", summary: "Change an assistant" },
  description: "What is sent replaces what there is, in a new version. The own assistant of a graph stays.",
  request: { params, body: jsonBody(schemas.UpdateBody, "What is new.") },
  responses: { ...assistant, 409: { description: "`system_assistant`" } },
});

const remove = createRoute({
  ...{ method: "delete", path: "/assistants/{assistant_id}", summary: "Delete an assistant" },
  description: "With all its versions. What its runs began with holds until they are done.",
  request: {
    params,
    query: z.object({
      delete_threads: z
        .enum(["true", "false"])
        .optional()
        .describe("Also delete the threads that it ran on. Default: `false`."),
    }),
  },
  responses: {
    204: { description: "It is gone." },
    ...unknown,
    409: { description: "`system_assistant`" },
    default: problemAnswer,
  },
});

const versions = createRoute({
  ...{ method: "post", path: "/assistants/{assistant_id}/versions", summary: "The versions of an assistant" },
  request: { params, body: jsonBody(schemas.VersionsBody, "Which ones.") },
  responses: {
    200: jsonAnswer(z.array(schemas.AssistantVersionSchema), "The newest first."),
    ...unknown,
    default: problemAnswer,
  },
});

const setLatest = createRoute({
  ...{ method: "post", path: "/assistants/{assistant_id}/latest", summary: "Choose the version that counts" },
  request: { params, body: jsonBody(schemas.LatestBody, "Which one.") },
  responses: assistant,
});

/** The LangGraph API's assistants: graphs with what their runs begin with. */
export function assistantRoutes(app: OpenAPIHono, parts: ServerParts): void {
  const { assistants } = parts;

  app.openapi(search, async (c) => {
    const { limit, offset, select, sort_by, sort_order, ...filter } = c.req.valid("json");
    const found = sortAssistants(filterAssistants(await assistants.all(), filter), { sort_by, sort_order });
    const from = offset ?? 0;
    const to = from + (limit ?? 10);
    c.header("X-Pagination-Total", String(found.length));
    if (to < found.length) c.header("X-Pagination-Next", String(to));
    return c.json(
      found.slice(from, to).map((one) => selected(one, select)),
      200,
    );
  });

  app.openapi(count, async (c) => {
    const found = filterAssistants(await assistants.all(), c.req.valid("json"));
    return c.json(found.length, 200);
  });

  app.openapi(create, async (c) => {
    const { assistant_id, graph_id, if_exists, ...body } = c.req.valid("json");
    const given = { ...statedOf(body), graph_id, assistant_id: assistant_id ?? undefined };
    return c.json({ ...(await assistants.create(given, if_exists === "do_nothing")) }, 200);
  });

  app.openapi(get, async (c) =>
    c.json({ ...(await assistants.get(c.req.valid("param").assistant_id)) }, 200),
  );

  app.openapi(update, async (c) => {
    const stated = statedOf(c.req.valid("json"));
    return c.json({ ...(await assistants.update(c.req.valid("param").assistant_id, stated)) }, 200);
  });

  app.openapi(remove, async (c) => {
    const { assistant_id } = await assistants.remove(c.req.valid("param").assistant_id);
    if (c.req.valid("query").delete_threads === "true")
      await deleteThreadsOf(parts, assistant_id, decider(principalOf(c)));
    return c.body(null, 204);
  });

  app.openapi(versions, async (c) => {
    const { limit, offset, metadata } = c.req.valid("json");
    const all = await assistants.versions(c.req.valid("param").assistant_id);
    const found = all.filter((one) => matches(one.metadata, metadata ?? {}));
    const from = offset ?? 0;
    return c.json(
      found.slice(from, from + (limit ?? 10)).map((one) => ({ ...one })),
      200,
    );
  });

  app.openapi(setLatest, async (c) => {
    const { version } = c.req.valid("json");
    return c.json({ ...(await assistants.setLatest(c.req.valid("param").assistant_id, version)) }, 200);
  });
}

/** A thread is an assistant's by what its metadata says; where that says nothing, by who ran on it. */
async function deleteThreadsOf(parts: ServerParts, assistant_id: string, by: DecidedBy): Promise<void> {
  const rows = await parts.ports.threads.search({ sort_by: "thread_id", sort_order: "asc" });
  for (const row of rows) {
    const { assistant_id: named } = JSON.parse(row.metadata_json) as { assistant_id?: unknown };
    if ((named ?? row.assistant_id) === assistant_id) await deleteThread(parts, row, by);
  }
}

function selected(one: object, select: readonly string[] | null | undefined): Record<string, unknown> {
  const entries = Object.entries(one);
  return Object.fromEntries(select ? entries.filter(([key]) => select.includes(key)) : entries);
}
