import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { mayCancel } from "../identity/may.ts";
import { principalOf, type Principal } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import { beginAlone, beginRun, checkAlone } from "../runs/begin-run.ts";
import { modesOf, RunBody } from "../runs/run-body.ts";
import { RunSchema, viewRun, type RunView } from "../runs/run-view.ts";
import type { Run } from "../runs/run.ts";
import { placeOf, serveStream, serveValues } from "../runs/serve-run.ts";
import { jsonAnswer, jsonBody, problemAnswer, ThreadId } from "../schemas.ts";

const params = z.object({ thread_id: ThreadId });
const body = jsonBody(RunBody, "The run.");
const Values = z.looseObject({}).describe("The state at its end; `__interrupt__` lists what is open.");
const refusals = {
  404: { description: "`thread_not_found`, `graph_not_found`, `unknown_approval`, `checkpoint_not_found`" },
  409: { description: "`approval_pending`, `thread_busy`, `ambiguous`, `already_decided`" },
  default: problemAnswer,
};
const created = { 200: jsonAnswer(RunSchema, "The run. It goes on by itself."), ...refusals };
const waited = { 200: jsonAnswer(Values, "It has stopped."), ...refusals };
const streamed = {
  200: { description: "Its events.", content: { "text/event-stream": { schema: z.string() } } },
  ...refusals,
};
const ALONE = "Nobody can be asked: what needs an approval is not run, unless `on_completion` is `keep`.";

const createOn = createRoute({
  ...{ method: "post", path: "/threads/{thread_id}/runs", summary: "Run in the background" },
  request: { params, body },
  responses: created,
});
const waitOn = createRoute({
  ...{ method: "post", path: "/threads/{thread_id}/runs/wait", summary: "Run and wait" },
  request: { params, body },
  responses: waited,
});
const streamOn = createRoute({
  ...{ method: "post", path: "/threads/{thread_id}/runs/stream", summary: "Run and stream" },
  request: { params, body },
  responses: streamed,
});
const createAlone = createRoute({
  ...{ method: "post", path: "/runs", summary: "Run without a thread, in the background" },
  description: ALONE,
  request: { body },
  responses: created,
});
const createBatch = createRoute({
  ...{ method: "post", path: "/runs/batch", summary: "Run several without threads, in the background" },
  description: ALONE,
  request: { body: jsonBody(z.array(RunBody).min(1).max(100), "The runs.") },
  responses: { 200: jsonAnswer(z.array(RunSchema), "The runs."), ...refusals },
});
const waitAlone = createRoute({
  ...{ method: "post", path: "/runs/wait", summary: "Run without a thread and wait" },
  description: ALONE,
  request: { body },
  responses: waited,
});
const streamAlone = createRoute({
  ...{ method: "post", path: "/runs/stream", summary: "Run without a thread and stream" },
  description: ALONE,
  request: { body },
  responses: streamed,
});

/** The LangGraph API's runs: begin one, and wait for its end, read its stream, or leave it to itself. */
export function runRoutes(app: OpenAPIHono, parts: ServerParts): void {
  const show = async ({ run_id, thread_id }: Run): Promise<RunView> => {
    const record = await parts.ports.runs.get(run_id);
    if (record) return viewRun(record);
    throw new Error(`Run ${run_id} of thread ${thread_id} has gone while it began.`);
  };
  // LangGraph's own pages ask for it by themselves, also where somebody answers on the thread of another one: who may not
  // cancel a run leaves it behind.
  const endsWith = async (
    { on_disconnect }: RunBody,
    { thread_id }: Run,
    c: Context,
  ): Promise<Principal | null> => {
    const by = principalOf(c);
    return on_disconnect === "cancel" && (await mayCancel(parts, by, { thread_id })) ? by : null;
  };

  app.openapi(createOn, async (c) => {
    const given = c.req.valid("json");
    const run = await beginRun(parts, c.req.valid("param").thread_id, given, modesOf(given), principalOf(c));
    c.header("Content-Location", placeOf(run));
    return c.json(await show(run), 200);
  });
  app.openapi(waitOn, async (c) => {
    const given = c.req.valid("json");
    const run = await beginRun(parts, c.req.valid("param").thread_id, given, [], principalOf(c));
    return serveValues(c, parts, run, { endsWith: await endsWith(given, run, c) });
  });
  app.openapi(streamOn, async (c) => {
    const given = c.req.valid("json");
    const run = await beginRun(parts, c.req.valid("param").thread_id, given, modesOf(given), principalOf(c));
    return serveStream(c, parts, run, { endsWith: await endsWith(given, run, c) });
  });
  app.openapi(createAlone, async (c) => {
    const given = c.req.valid("json");
    const run = await beginAlone(parts, given, modesOf(given), principalOf(c));
    c.header("Content-Location", placeOf(run));
    return c.json(await show(run), 200);
  });
  app.openapi(createBatch, async (c) => {
    const checked: (() => Promise<Run>)[] = [];
    for (const given of c.req.valid("json"))
      checked.push(await checkAlone(parts, given, modesOf(given), principalOf(c)));
    const views: RunView[] = [];
    for (const begin of checked) views.push(await show(await begin()));
    return c.json(views, 200);
  });
  app.openapi(waitAlone, async (c) => {
    const given = c.req.valid("json");
    const run = await beginAlone(parts, given, [], principalOf(c));
    return serveValues(c, parts, run, { endsWith: await endsWith(given, run, c) });
  });
  app.openapi(streamAlone, async (c) => {
    const given = c.req.valid("json");
    const run = await beginAlone(parts, given, modesOf(given), principalOf(c));
    return serveStream(c, parts, run, { endsWith: await endsWith(given, run, c) });
  });
}
