import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { stream, streamSSE } from "hono/streaming";
import { beginAlone, beginRun } from "../runs/begin-run.ts";
import { deleteThread } from "../threads/delete-thread.ts";
import type { ServerParts } from "../parts.ts";
import { RunBody } from "../runs/run-body.ts";
import type { Run } from "../runs/run.ts";
import { jsonAnswer, jsonBody, problemAnswer, ThreadId } from "../schemas.ts";
import { interruptsOf, readNow } from "../threads/thread-view.ts";
import { errorData, toJson } from "../to-json.ts";

/** How often an open answer shows that it is alive, in milliseconds. */
const HEARTBEAT_MS = 15_000;

const params = z.object({ thread_id: ThreadId });
const body = jsonBody(RunBody, "The run.");
const Values = z.looseObject({}).describe("The state at its end; `__interrupt__` lists what is open.");
const refusals = {
  404: { description: "`thread_not_found`, `graph_not_found`, `unknown_approval`" },
  409: { description: "`approval_pending`, `thread_busy`, `ambiguous`, `already_decided`" },
  default: problemAnswer,
};
const waited = { 200: jsonAnswer(Values, "It has stopped."), ...refusals };
const streamed = {
  200: { description: "Its events.", content: { "text/event-stream": { schema: z.string() } } },
  ...refusals,
};

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
const waitAlone = createRoute({
  ...{ method: "post", path: "/runs/wait", summary: "Run without a thread and wait" },
  description: "Nobody can be asked: what needs an approval is not run, unless `on_completion` is `keep`.",
  request: { body },
  responses: waited,
});
const streamAlone = createRoute({
  ...{ method: "post", path: "/runs/stream", summary: "Run without a thread and stream" },
  description: "Nobody can be asked: what needs an approval is not run, unless `on_completion` is `keep`.",
  request: { body },
  responses: streamed,
});

/** The LangGraph API's runs: begin one, and wait for its end or read its stream. */
export function runRoutes(app: OpenAPIHono, parts: ServerParts): void {
  app.openapi(waitOn, async (c) => {
    const given = c.req.valid("json");
    const run = await beginRun(parts, c.req.valid("param").thread_id, given, false);
    return waitFor(c, parts, { run, isCancelling: given.on_disconnect === "cancel" });
  });
  app.openapi(streamOn, async (c) => {
    const given = c.req.valid("json");
    const run = await beginRun(parts, c.req.valid("param").thread_id, given, true);
    return streamOf(c, parts, { run, isCancelling: given.on_disconnect === "cancel" });
  });
  app.openapi(waitAlone, async (c) => {
    const given = c.req.valid("json");
    const { run, isKept } = await beginAlone(parts, given, false);
    return waitFor(c, parts, { run, isCancelling: given.on_disconnect === "cancel", isDeleted: !isKept });
  });
  app.openapi(streamAlone, async (c) => {
    const given = c.req.valid("json");
    const { run, isKept } = await beginAlone(parts, given, true);
    return streamOf(c, parts, { run, isCancelling: given.on_disconnect === "cancel", isDeleted: !isKept });
  });
}

interface Served {
  run: Run;
  /** Whether a client that leaves ends the run. */
  isCancelling: boolean;
  /** Whether its thread goes when it has stopped. */
  isDeleted?: boolean;
}

/** The answer is open from the start, so that a long run does not look like a dead connection. */
function waitFor(c: Context, parts: ServerParts, served: Served): Response {
  const { run } = served;
  c.header("Content-Type", "application/json");
  c.header("Content-Location", `/threads/${run.thread_id}/runs/${run.run_id}`);
  const ended = afterwards(parts, served);
  return stream(c, async (out) => {
    out.onAbort(() => onLeave(parts, served));
    // White space before the value, which every JSON parser skips.
    const beat = setInterval(() => void out.write("\n"), HEARTBEAT_MS);
    try {
      await out.write(toJson(await ended));
    } finally {
      clearInterval(beat);
    }
  });
}

function streamOf(c: Context, parts: ServerParts, served: Served): Response {
  const { run } = served;
  c.header("Content-Location", `/threads/${run.thread_id}/runs/${run.run_id}`);
  void afterwards(parts, served);
  return streamSSE(
    c,
    async (out) => {
      const left = new AbortController();
      out.onAbort(() => {
        left.abort();
        onLeave(parts, served);
      });
      const signal = AbortSignal.any([left.signal, parts.closing]);
      const beat = setInterval(() => void out.write(": heartbeat\n\n"), HEARTBEAT_MS);
      try {
        for await (const event of run.read(signal)) await out.writeSSE(event);
      } finally {
        clearInterval(beat);
      }
    },
    async (error) => parts.ports.onError(error),
  );
}

/** What a run leaves: its state and what is open, or its error. A thread that was only for it goes. */
async function afterwards(parts: ServerParts, { run, isDeleted = false }: Served): Promise<unknown> {
  const { error } = await run.done;
  try {
    const row = await parts.ports.threads.get(run.thread_id);
    if (error !== null) return { __error__: errorData(error) };
    if (!row) return {};
    const now = await readNow(parts.ports, row);
    const open = interruptsOf(now);
    return { ...(now.state?.values as object | undefined), ...(open.length > 0 && { __interrupt__: open }) };
  } catch (failure) {
    parts.ports.onError(failure);
    return {
      __error__: { error: "Error", message: "The run's state cannot be read. See the server's log." },
    };
  } finally {
    if (isDeleted) await forget(parts, run.thread_id);
  }
}

async function forget(parts: ServerParts, thread_id: string): Promise<void> {
  try {
    const row = await parts.ports.threads.get(thread_id);
    if (row) await deleteThread(parts, row);
  } catch (error) {
    parts.ports.onError(error);
  }
}

function onLeave({ manager, ports }: ServerParts, { run, isCancelling }: Served): void {
  if (!isCancelling || manager.current(run.thread_id) !== run) return;
  manager
    .cancel(run, "The client left, and its run with it.")
    .catch((error: unknown) => ports.onError(error));
}
