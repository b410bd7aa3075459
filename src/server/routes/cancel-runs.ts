import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { RunRow } from "../database/tables.ts";
import { assertMay } from "../identity/may.ts";
import { ofOwnThreads } from "../identity/own-threads.ts";
import { principalOf } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { jsonBody, ThreadId } from "../schemas.ts";
import { Flag, isSet, notFound, recordOf, RunId, runParams } from "./thread-runs.ts";

const Action = z
  .enum(["interrupt", "rollback"])
  .optional()
  .describe("`rollback` also takes back what the run did to its thread. Default: `interrupt`.");

const cancel = createRoute({
  ...{ method: "post", path: "/threads/{thread_id}/runs/{run_id}/cancel", summary: "Cancel a run" },
  description: "Its open questions end as `cancelled`. A tool that runs already goes on to its end.",
  request: {
    params: runParams,
    query: z.object({ wait: Flag, action: Action, reason: z.enum(["taken"]).optional() }),
  },
  responses: {
    202: { description: "It is being cancelled." },
    204: { description: "It is cancelled." },
    ...notFound,
  },
});
const cancelMany = createRoute({
  ...{ method: "post", path: "/runs/cancel", summary: "Cancel several runs" },
  request: {
    query: z.object({ action: Action }),
    body: jsonBody(
      z.looseObject({
        thread_id: ThreadId.nullish(),
        run_ids: z.array(RunId).max(1_000).nullish(),
        status: z.enum(["pending", "running", "all"]).nullish(),
      }),
      "Which ones: those named of a thread, or all of a status.",
    ),
  },
  responses: { 204: { description: "They are cancelled." }, ...notFound },
});

/** The LangGraph API's cancelling of runs. */
export function cancelRoutes(app: OpenAPIHono, parts: ServerParts): void {
  const { ports, manager } = parts;

  app.openapi(cancel, async (c) => {
    const record = await recordOf(parts, c.req.valid("param"));
    const { wait, action = "interrupt", reason } = c.req.valid("query");
    const why =
      reason === "taken" ? "taken: its input was taken up elsewhere." : "A client cancelled the run.";
    const how = { action, reason: why, by: principalOf(c).id };
    if (isSet(wait)) {
      await manager.cancel(record, how);
      return c.body(null, 204);
    }
    // Whoever was told that it is being cancelled can rely on that, whatever happens to this process.
    await manager.mark(record, how);
    manager.cancel(record, how).catch((error: unknown) => ports.onError(error));
    return c.body(null, 202);
  });

  app.openapi(cancelMany, async (c) => {
    const { thread_id, run_ids, status } = c.req.valid("json");
    const { action = "interrupt" } = c.req.valid("query");
    const by = principalOf(c);
    if (thread_id) await assertMay(parts, by, thread_id, "changes");
    const records = await ofOwnThreads(parts, by, await recordsOf(thread_id, run_ids, status));
    for (const record of records)
      await manager.cancel(record, { action, reason: "A client cancelled the run.", by: by.id });
    return c.body(null, 204);
  });

  async function recordsOf(
    thread_id: string | null | undefined,
    run_ids: readonly string[] | null | undefined,
    status: "pending" | "running" | "all" | null | undefined,
  ): Promise<RunRow[]> {
    if (run_ids) {
      if (!thread_id)
        throw new ServerError("invalid_request", 'The request is not valid. "run_ids" needs a "thread_id".');
      return Promise.all(run_ids.map((run_id) => recordOf(parts, { thread_id, run_id })));
    }
    if (!status)
      throw new ServerError("invalid_request", 'The request is not valid. Give "run_ids" or "status".');
    const standing = await ports.runs.standing(status === "all" ? ["pending", "running"] : [status]);
    return thread_id ? standing.filter((record) => record.thread_id === thread_id) : standing;
  }
}
