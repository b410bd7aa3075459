import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { isoTime } from "../../desk/index.ts";
import { principalOf } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { jsonAnswer, jsonBody, problemAnswer, ThreadId } from "../schemas.ts";
import { threadOf } from "../threads/new-thread.ts";
import { writeState } from "../threads/write-state.ts";

const params = z.object({ thread_id: ThreadId });

const write = createRoute({
  method: "post",
  path: "/threads/{thread_id}/state",
  summary: "Write to the state of a thread",
  description:
    "Not while a run is live or a question is open. A write with no values as `__end__` marks the thread as resolved: " +
    "its questions end as `cancelled`, and nothing goes on. A write to an older checkpoint is a fork: the questions of " +
    "the branch before end as `cancelled`. Of a graph without a gate of this server's, only what leads to nothing, or " +
    "to what every input reaches first, may be written.",
  request: {
    params,
    body: jsonBody(
      z.looseObject({
        values: z.unknown().optional().describe("What to write, as the node would return it."),
        as_node: z.string().max(200).nullish().describe("The node in whose name it is written."),
        checkpoint_id: z.string().min(1).max(200).nullish(),
        checkpoint: z
          .looseObject({
            checkpoint_id: z.string().min(1).max(200).nullish(),
            checkpoint_ns: z.string().nullish(),
          })
          .nullish()
          .describe("What it goes out from. Default: the newest one."),
      }),
      "The write.",
    ),
  },
  responses: {
    200: jsonAnswer(
      z.looseObject({ checkpoint: z.unknown(), configurable: z.unknown() }),
      "The new checkpoint.",
    ),
    404: { description: "`thread_not_found`, `checkpoint_not_found`" },
    409: { description: "`approval_pending`, `thread_busy`, `unreadable_state`" },
    422: { description: "`invalid_request`, `not_supported`" },
    default: problemAnswer,
  },
});

const patch = createRoute({
  method: "patch",
  path: "/threads/{thread_id}/state",
  summary: "Add to the metadata of a thread",
  request: {
    params,
    body: jsonBody(
      z.looseObject({ metadata: z.record(z.string(), z.unknown()) }),
      "What is added. Keys that are there already are replaced.",
    ),
  },
  responses: { 204: { description: "It is added." }, default: problemAnswer },
});

/** The LangGraph API's writes to states. */
export function stateWriteRoutes(app: OpenAPIHono, parts: ServerParts): void {
  const { ports } = parts;

  app.openapi(write, async (c) => {
    const { values, as_node, checkpoint_id, checkpoint } = c.req.valid("json");
    if (checkpoint?.checkpoint_ns) {
      const message = "The state of a subgraph cannot be written by itself. Write to that of the thread.";
      throw new ServerError("not_supported", message);
    }
    const row = await threadOf(ports, c.req.valid("param").thread_id);
    const written = await writeState(
      parts,
      row,
      {
        values: values ?? null,
        as_node: as_node ?? undefined,
        checkpoint_id: checkpoint_id ?? checkpoint?.checkpoint_id ?? undefined,
      },
      principalOf(c),
    );
    return c.json({ checkpoint: written, configurable: written }, 200);
  });

  app.openapi(patch, async (c) => {
    const { thread_id } = await threadOf(ports, c.req.valid("param").thread_id);
    const { metadata } = c.req.valid("json");
    await ports.threads.addMetadata(thread_id, metadata, isoTime(ports.clock));
    return c.body(null, 204);
  });
}
