import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { Mode, strictestMode } from "../../policy/index.ts";
import { decider, hasRole, principalOf } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import type { Order } from "../runs/order.ts";
import { jsonAnswer, jsonBody, problemAnswer, ThreadId } from "../schemas.ts";
import { threadOf } from "../threads/new-thread.ts";

const ThreadMode = z
  .object({
    mode: Mode.describe("What holds on the thread: the strictest of `own` and `base`."),
    own: Mode.nullable().describe("What was set on the thread itself; `null` when nobody has."),
    base: Mode.optional().describe("What its graph's policy and its newest run say, where a gate tells."),
  })
  .meta({ id: "ThreadMode" });

const params = z.object({ thread_id: ThreadId });
const responses = {
  200: jsonAnswer(ThreadMode, "The mode."),
  404: { description: "`thread_not_found`" },
  default: problemAnswer,
};

const get = createRoute({
  method: "get",
  path: "/threads/{thread_id}/mode",
  summary: "The mode of a thread",
  request: { params },
  responses,
});

const put = createRoute({
  method: "put",
  path: "/threads/{thread_id}/mode",
  summary: "Set the mode of a thread",
  description:
    "It holds from the next judgement on and is never milder than what policy and run say; `interactive` lifts it. " +
    "Questions that are open stay open. The thread's owner may tighten it; to lift it is a reviewer's.",
  request: { params, body: jsonBody(z.strictObject({ mode: Mode }), "The mode.") },
  responses: { ...responses, 403: { description: "`forbidden`" } },
});

/** A thread's own mode: to ask nobody on it for a while, whoever runs it. */
export function modeRoutes(app: OpenAPIHono, { desk, ports, modeOf }: ServerParts): void {
  const view = async (thread_id: string) => {
    const { graph_id, order_json } = await threadOf(ports, thread_id);
    const context = order_json === null ? undefined : (JSON.parse(order_json) as Order).context;
    const base = graph_id === null ? null : await modeOf(graph_id, context);
    const { mode, own } = await desk.mode(thread_id);
    return base === null ? { mode, own } : { mode: strictestMode(mode, base), own, base };
  };
  app.openapi(get, async (c) => c.json(await view(c.req.valid("param").thread_id), 200));
  app.openapi(put, async (c) => {
    const { thread_id } = c.req.valid("param");
    const principal = principalOf(c);
    await threadOf(ports, thread_id);
    const onlyTighten = !hasRole(principal, "reviewer");
    await desk.setMode(thread_id, c.req.valid("json").mode, { by: decider(principal), onlyTighten });
    return c.json(await view(thread_id), 200);
  });
}
