import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { threadOf } from "../threads/new-thread.ts";
import { pendingOf } from "../threads/open-questions.ts";
import type { ServerParts } from "../parts.ts";
import { jsonAnswer, jsonBody, problemAnswer, ThreadId } from "../schemas.ts";
import { NO_STATE, showState, type ThreadStateView } from "../threads/thread-state.ts";
import { readable } from "../threads/thread-view.ts";
import { toPlain } from "../to-json.ts";

const ThreadState = z
  .looseObject({
    values: z.unknown(),
    next: z.array(z.string()),
    tasks: z.array(z.looseObject({ id: z.string(), name: z.string(), interrupts: z.array(z.unknown()) })),
    metadata: z.unknown(),
    created_at: z.string().nullable(),
    checkpoint: z.unknown(),
    parent_checkpoint: z.unknown(),
  })
  .meta({ id: "ThreadState" });

const params = z.object({ thread_id: ThreadId });
const unreadable = { description: "`unreadable_state`" };
const notFound = { description: "`thread_not_found`" };

const state = createRoute({
  method: "get",
  path: "/threads/{thread_id}/state",
  summary: "The newest state of a thread",
  request: { params, query: z.object({ subgraphs: z.enum(["true", "false", "1", "0"]).optional() }) },
  responses: {
    200: jsonAnswer(ThreadState, "The state."),
    404: notFound,
    409: unreadable,
    default: problemAnswer,
  },
});

const Checkpoint = z.looseObject({
  checkpoint_id: z.string().nullish(),
  checkpoint_ns: z.string().nullish(),
});

const history = createRoute({
  method: "post",
  path: "/threads/{thread_id}/history",
  summary: "The states of a thread, newest first",
  request: {
    params,
    body: jsonBody(
      z.looseObject({
        limit: z.number().int().min(1).max(1_000).nullish(),
        before: z
          .union([z.string(), z.looseObject({ configurable: Checkpoint }), Checkpoint])
          .nullish()
          .describe("A checkpoint's id, or the checkpoint."),
        metadata: z.record(z.string(), z.unknown()).nullish(),
        checkpoint: Checkpoint.nullish(),
      }),
      "Which ones.",
    ),
  },
  responses: {
    200: jsonAnswer(z.array(ThreadState), "The states."),
    404: notFound,
    409: unreadable,
    default: problemAnswer,
  },
});

const historyByGet = createRoute({
  method: "get",
  path: "/threads/{thread_id}/history",
  summary: "The states of a thread, newest first",
  request: {
    params,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(1_000).openapi({ type: "integer" }).optional(),
      before: z.string().optional().describe("A checkpoint's id."),
    }),
  },
  responses: {
    200: jsonAnswer(z.array(ThreadState), "The states."),
    404: notFound,
    409: unreadable,
    default: problemAnswer,
  },
});

interface HistoryWish {
  limit: number;
  before?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  checkpoint?: Record<string, unknown> | undefined;
}

/** The LangGraph API's states and their history. */
export function stateRoutes(app: OpenAPIHono, { ports }: ServerParts): void {
  const { graphs, ledger } = ports;

  app.openapi(state, async (c) => {
    const row = await threadOf(ports, c.req.valid("param").thread_id);
    const { subgraphs } = c.req.valid("query");
    const { thread_id, graph_id } = row;
    if (graph_id === null) return c.json(plain(NO_STATE), 200);
    const graph = await graphs.get(graph_id);
    const wish = { subgraphs: subgraphs === "true" || subgraphs === "1" };
    const found = await readable(() =>
      ports.enter(() => graph.getState({ configurable: { thread_id } }, wish)),
    );
    return c.json(plain(showState(found, await pendingOf(ledger, thread_id))), 200);
  });

  app.openapi(history, async (c) => {
    const { limit, before, metadata, checkpoint } = c.req.valid("json");
    const { checkpoint_id, checkpoint_ns } = checkpoint ?? {};
    const at = { ...(checkpoint_id && { checkpoint_id }), ...(checkpoint_ns && { checkpoint_ns }) };
    const wish = {
      limit: limit ?? 10,
      before: beforeId(before),
      metadata: metadata ?? undefined,
      checkpoint: at,
    };
    return c.json(await read(c.req.valid("param").thread_id, wish), 200);
  });

  app.openapi(historyByGet, async (c) => {
    const { limit = 10, before } = c.req.valid("query");
    return c.json(await read(c.req.valid("param").thread_id, { limit, before }), 200);
  });

  async function read(thread_id: string, { limit, before, metadata, checkpoint }: HistoryWish) {
    const { graph_id } = await threadOf(ports, thread_id);
    if (graph_id === null) return [];
    const graph = await graphs.get(graph_id);
    const pending = await pendingOf(ledger, thread_id);
    const readAll = async () => {
      const states = [];
      const options = {
        limit,
        ...(before !== undefined && { before: { configurable: { thread_id, checkpoint_id: before } } }),
        ...(metadata && { filter: metadata }),
      };
      const config = { configurable: { checkpoint_ns: "", ...checkpoint, thread_id } };
      for await (const one of graph.getStateHistory(config, options))
        states.push(plain(showState(one, pending)));
      return states;
    };
    return readable(() => ports.enter(readAll));
  }
}

function beforeId(before: unknown): string | undefined {
  if (typeof before === "string") return before;
  if (typeof before !== "object" || before === null) return undefined;
  const { configurable, checkpoint_id } = before as {
    configurable?: { checkpoint_id?: string };
    checkpoint_id?: string;
  };
  return configurable?.checkpoint_id ?? checkpoint_id;
}

function plain(view: ThreadStateView): z.infer<typeof ThreadState> {
  return toPlain(view) as z.infer<typeof ThreadState>;
}
