import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Item, MatchCondition } from "@langchain/langgraph-checkpoint";
import { labelsOf } from "../items/namespace.ts";
import type { ServerParts } from "../parts.ts";
import { jsonAnswer, jsonBody, problemAnswer } from "../schemas.ts";

const NO_MEANING =
  "There is no search by meaning here: a `query` is accepted and changes nothing, and no item has a `score`.";

const Namespace = z
  .array(z.string())
  .max(100)
  .describe('Its labels, from the root. None is empty or holds "." or ":", and the root is not "langgraph".');
const Key = z.string().describe("Its name inside its namespace.");
const RefreshTtl = z
  .boolean()
  .nullish()
  .describe("Whether what is found begins its time to live anew. Default: no.");
const Count = (most: number, usual: number) => z.number().int().min(0).max(most).default(usual);

const StoredItem = z
  .object({
    namespace: z.array(z.string()),
    key: z.string(),
    value: z.record(z.string(), z.unknown()),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "StoreItem" });

const NewItem = z
  .looseObject({
    namespace: Namespace,
    key: Key,
    value: z.record(z.string(), z.unknown()).describe("A JSON object."),
    index: z.unknown().optional().describe("Accepted; nothing is indexed."),
    ttl: z.number().positive().max(100_000_000).nullish().describe("Minutes to live. Default: for good."),
  })
  .meta({ id: "NewStoreItem" });

const put = createRoute({
  ...{ method: "put", path: "/store/items", summary: "Keep an item, or replace it" },
  request: { body: jsonBody(NewItem, "The item.") },
  responses: { 204: { description: "It is kept." }, default: problemAnswer },
});

const get = createRoute({
  ...{ method: "get", path: "/store/items", summary: "One item, or `null`" },
  request: {
    query: z.object({
      namespace: z.string().default("").describe("The labels, joined by dots."),
      key: Key,
      refresh_ttl: z.stringbool().optional().openapi({ type: "boolean" }),
    }),
  },
  responses: {
    200: jsonAnswer(StoredItem.nullable(), "The item; `null`: there is none."),
    default: problemAnswer,
  },
});

const remove = createRoute({
  ...{ method: "delete", path: "/store/items", summary: "Forget an item" },
  request: { body: jsonBody(z.looseObject({ namespace: Namespace.default([]), key: Key }), "Which one.") },
  responses: { 204: { description: "There is no such item any more." }, default: problemAnswer },
});

const search = createRoute({
  ...{ method: "post", path: "/store/items/search", summary: "Search items, the newest first" },
  description: NO_MEANING,
  request: {
    body: jsonBody(
      z.looseObject({
        namespace_prefix: Namespace.default([]),
        filter: z
          .record(z.string(), z.unknown())
          .nullish()
          .describe(
            "Members of the value, each equal to this, or `{ $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin }`.",
          ),
        limit: Count(1_000, 10),
        offset: Count(1_000_000_000, 0),
        query: z.string().nullish().describe(NO_MEANING),
        refresh_ttl: RefreshTtl,
      }),
      "What is looked for.",
    ),
  },
  responses: {
    200: jsonAnswer(z.object({ items: z.array(StoredItem) }), "One page."),
    default: problemAnswer,
  },
});

const list = createRoute({
  ...{ method: "post", path: "/store/namespaces", summary: "List namespaces" },
  request: {
    body: jsonBody(
      z.looseObject({
        prefix: Namespace.nullish().describe("`*` stands for any label."),
        suffix: Namespace.nullish().describe("`*` stands for any label."),
        max_depth: z.number().int().min(1).nullish().describe("Deeper ones are cut to so many labels."),
        limit: Count(1_000, 100),
        offset: Count(1_000_000_000, 0),
      }),
      "Which ones.",
    ),
  },
  responses: {
    200: jsonAnswer(z.object({ namespaces: z.array(z.array(z.string())) }), "One page."),
    default: problemAnswer,
  },
});

/** LangGraph's long-term store, as its clients speak to it. The graphs read and write the same one. */
export function storeRoutes(app: OpenAPIHono, { items }: Pick<ServerParts, "items">): void {
  app.openapi(put, async (c) => {
    const { namespace, key, value, ttl } = c.req.valid("json");
    await items.batch([{ namespace, key, value, ttl: ttl ?? null }]);
    return c.body(null, 204);
  });
  app.openapi(get, async (c) => {
    const { namespace, key, refresh_ttl = false } = c.req.valid("query");
    const labels = namespace === "" ? [] : labelsOf(namespace);
    const [item] = await items.batch([{ namespace: labels, key, refreshTtl: refresh_ttl }]);
    return c.json(item ? shown(item) : null, 200);
  });
  app.openapi(remove, async (c) => {
    const { namespace, key } = c.req.valid("json");
    await items.batch([{ namespace, key, value: null }]);
    return c.body(null, 204);
  });
  app.openapi(search, async (c) => {
    const { namespace_prefix, filter, limit, offset, refresh_ttl } = c.req.valid("json");
    const [found = []] = await items.batch([
      {
        ...{ namespacePrefix: namespace_prefix, limit, offset, refreshTtl: refresh_ttl ?? false },
        ...(filter && { filter }),
      },
    ]);
    return c.json({ items: found.map(shown) }, 200);
  });
  app.openapi(list, async (c) => {
    const { prefix, suffix, max_depth, limit, offset } = c.req.valid("json");
    const matchConditions: MatchCondition[] = [
      ...(prefix ? [{ matchType: "prefix" as const, path: prefix }] : []),
      ...(suffix ? [{ matchType: "suffix" as const, path: suffix }] : []),
    ];
    const depth = max_depth ? { maxDepth: max_depth } : {};
    const [namespaces = []] = await items.batch([{ matchConditions, limit, offset, ...depth }]);
    return c.json({ namespaces }, 200);
  });
}

function shown({ namespace, key, value, createdAt, updatedAt }: Item): z.infer<typeof StoredItem> {
  return { namespace, key, value, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}
