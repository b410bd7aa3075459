import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { principalOf, seesWhole } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import { jsonAnswer, jsonBody, problemAnswer, ThreadId } from "../schemas.ts";
import { threadOf } from "../threads/new-thread.ts";
import { readHistory, readState } from "../threads/read-states.ts";
import { selectState } from "../threads/select-state.ts";

const ThreadState = z
  .looseObject({
    values: z.unknown(),
    next: z.array(z.string()),
    tasks: z.array(z.looseObject({ id: z.string(), name: z.string(), interrupts: z.array(z.unknown()) })),
    metadata: z.unknown(),
    created_at: z.string().nullable(),
    checkpoint: z.unknown(),
    parent_checkpoint: z.unknown(),
    interrupts: z.array(z.unknown()).describe("What is open, of all tasks."),
  })
  .partial()
  .meta({ id: "ThreadState" })
  .describe("With `select`, only the fields that were named.");

const params = z.object({ thread_id: ThreadId });
const CheckpointId = z.string().min(1).max(200);
const SelectBody = z
  .array(z.string())
  .nullish()
  .describe("Fields to answer with; `values.<key>` is one key of the values.");
const SelectQuery = z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional();
const Flag = z.enum(["true", "false", "1", "0"]).optional();
const query = z.object({ subgraphs: Flag, select: SelectQuery.openapi({ type: "array" }) });

const one = {
  200: jsonAnswer(ThreadState, "The state."),
  404: { description: "`thread_not_found`, `checkpoint_not_found`" },
  409: { description: "`unreadable_state`" },
  default: problemAnswer,
};
const several = {
  200: jsonAnswer(z.array(ThreadState), "The states."),
  404: { description: "`thread_not_found`" },
  409: { description: "`unreadable_state`" },
  default: problemAnswer,
};

const newest = createRoute({
  method: "get",
  path: "/threads/{thread_id}/state",
  summary: "The newest state of a thread",
  request: { params, query },
  responses: one,
});

const byId = createRoute({
  method: "get",
  path: "/threads/{thread_id}/state/{checkpoint_id}",
  summary: "The state of a thread at a checkpoint",
  request: { params: params.extend({ checkpoint_id: CheckpointId }), query },
  responses: one,
});

const Checkpoint = z.looseObject({
  checkpoint_id: CheckpointId.nullish(),
  checkpoint_ns: z.string().max(1_000).nullish(),
});

const byCheckpoint = createRoute({
  method: "post",
  path: "/threads/{thread_id}/state/checkpoint",
  summary: "The state of a thread, or of a subgraph of it, at a checkpoint",
  request: {
    params,
    body: jsonBody(
      z.looseObject({
        checkpoint: Checkpoint.nullish(),
        subgraphs: z.boolean().nullish(),
        select: SelectBody,
      }),
      "Which one.",
    ),
  },
  responses: one,
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
        checkpoint: Checkpoint.nullish().describe("Only this checkpoint, or only those of this subgraph."),
        select: SelectBody,
      }),
      "Which ones.",
    ),
  },
  responses: several,
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
  responses: several,
});

/** The LangGraph API's states and their history. */
export function stateRoutes(app: OpenAPIHono, { ports }: ServerParts): void {
  app.openapi(newest, async (c) => {
    const { subgraphs, select } = c.req.valid("query");
    const row = await threadOf(ports, c.req.valid("param").thread_id);
    return c.json(
      selectState(
        await readState(ports, row, { subgraphs: isSet(subgraphs), isWhole: seesWhole(principalOf(c)) }),
        select,
      ),
      200,
    );
  });

  app.openapi(byId, async (c) => {
    const { thread_id, checkpoint_id } = c.req.valid("param");
    const { subgraphs, select } = c.req.valid("query");
    const row = await threadOf(ports, thread_id);
    const isWhole = seesWhole(principalOf(c));
    const wish = { checkpoint_id, subgraphs: isSet(subgraphs), isWhole };
    return c.json(selectState(await readState(ports, row, wish), select), 200);
  });

  app.openapi(byCheckpoint, async (c) => {
    const { checkpoint, subgraphs, select } = c.req.valid("json");
    const row = await threadOf(ports, c.req.valid("param").thread_id);
    const isWhole = seesWhole(principalOf(c));
    const wish = { ...placeOf(checkpoint), subgraphs: subgraphs ?? false, isWhole };
    return c.json(selectState(await readState(ports, row, wish), select), 200);
  });

  app.openapi(history, async (c) => {
    const { limit, before, metadata, checkpoint, select } = c.req.valid("json");
    const row = await threadOf(ports, c.req.valid("param").thread_id);
    const states = await readHistory(ports, row, {
      limit: limit ?? 10,
      before: beforeId(before),
      metadata: metadata ?? undefined,
      checkpoint: placeOf(checkpoint),
      isWhole: seesWhole(principalOf(c)),
    });
    return c.json(
      states.map((state) => selectState(state, select)),
      200,
    );
  });

  app.openapi(historyByGet, async (c) => {
    const { limit = 10, before } = c.req.valid("query");
    const row = await threadOf(ports, c.req.valid("param").thread_id);
    return c.json(await readHistory(ports, row, { limit, before, isWhole: seesWhole(principalOf(c)) }), 200);
  });
}

function isSet(flag: z.infer<typeof Flag>): boolean {
  return flag === "true" || flag === "1";
}

function placeOf(checkpoint: z.infer<typeof Checkpoint> | null | undefined) {
  const { checkpoint_id, checkpoint_ns } = checkpoint ?? {};
  return { checkpoint_id: checkpoint_id ?? undefined, checkpoint_ns: checkpoint_ns ?? undefined };
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
