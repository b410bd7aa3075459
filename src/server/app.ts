import { OpenAPIHono } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { limitDepth } from "./guards/body-depth.ts";
import { giveFirstAnswer } from "./guards/first-answers.ts";
import { limitBody, onlyJson } from "./guards/json-bodies.ts";
import { secureHeaders } from "./guards/headers.ts";
import { limitUrl } from "./guards/limit-url.ts";
import { guardOrigin } from "./guards/origin.ts";
import { authorize } from "./identity/authorize.ts";
import { observeRequests } from "./observing/requests.ts";
import type { ServerParts } from "./parts.ts";
import { answerError, problemOf, problemResponse, ServerError } from "./problem.ts";
import { refuseInvalid } from "./guards/refuse-invalid.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { assistantGraphRoutes } from "./routes/assistant-graphs.ts";
import { assistantRoutes } from "./routes/assistants.ts";
import { auditRoutes } from "./routes/audit.ts";
import { cronRoutes } from "./routes/crons.ts";
import { decisionRoutes } from "./routes/decisions.ts";
import { eventRoutes } from "./routes/events.ts";
import { fatigueRoutes } from "./routes/fatigue.ts";
import { grantRoutes } from "./routes/grants.ts";
import { metaRoutes } from "./routes/meta.ts";
import { modeRoutes } from "./routes/modes.ts";
import { policyRoutes } from "./routes/policies.ts";
import { protocolRoutes } from "./routes/protocol.ts";
import { runRoutes } from "./routes/runs.ts";
import { stateWriteRoutes } from "./routes/state-writes.ts";
import { stateRoutes } from "./routes/states.ts";
import { storeRoutes } from "./routes/store.ts";
import { cancelRoutes } from "./routes/cancel-runs.ts";
import { threadRunRoutes } from "./routes/thread-runs.ts";
import { threadStreamRoutes } from "./routes/thread-stream.ts";
import { threadListRoutes } from "./routes/thread-lists.ts";
import { threadRoutes } from "./routes/threads.ts";

/** The HTTP API: every route, behind the checks that each request passes. */
export function createApp(parts: ServerParts): Hono {
  const app = new OpenAPIHono({ defaultHook: refuseInvalid });
  app.onError(answerError((error, about) => parts.ports.onError(error, about)));
  app.notFound((c) => {
    const allowed = methodsOf(app, c.req.path);
    if (allowed.length === 0)
      throw new ServerError("not_found", `There is no route ${c.req.method} ${c.req.path}.`);
    const message = `${c.req.method} is not allowed here. Allowed: ${allowed.join(", ")}.`;
    return problemResponse(problemOf(new ServerError("method_not_allowed", message)), {
      allow: allowed.join(", "),
    });
  });
  const { limits } = parts;
  app.use(observeRequests(parts), secureHeaders(parts.allowOrigins), limitUrl(limits));
  app.use(guardOrigin(parts), authorize(parts), onlyJson, limitBody(limits), limitDepth(limits));
  app.use(parts.streams.guard);
  app.use("/approvals/*", parts.decisions.guard);
  app.use("/threads/:thread_id/approvals/*", parts.decisions.guard);
  const once = giveFirstAnswer({
    ...{ database: parts.database, clock: parts.ports.clock },
    ...{ owner_id: parts.processes.owner_id, closing: parts.closing },
  });
  app.use("/approvals/*", once);
  app.use("/threads/:thread_id/approvals/*", once);
  addRoutes(app, parts);
  // Outside, it is an app like any other: that it describes itself is this room's matter.
  return app as unknown as Hono;
}

/** Adds the routes alone. What they describe does not depend on the parts. */
export function addRoutes(app: OpenAPIHono, parts: ServerParts): void {
  decisionRoutes(app, parts);
  approvalRoutes(app, parts);
  grantRoutes(app, parts);
  fatigueRoutes(app, parts);
  eventRoutes(app, parts);
  auditRoutes(app, parts);
  policyRoutes(app, parts);
  assistantRoutes(app, parts);
  assistantGraphRoutes(app, parts);
  threadRoutes(app, parts);
  threadListRoutes(app, parts);
  modeRoutes(app, parts);
  stateRoutes(app, parts);
  stateWriteRoutes(app, parts);
  cronRoutes(app);
  runRoutes(app, parts);
  protocolRoutes(app, parts);
  threadRunRoutes(app, parts);
  cancelRoutes(app, parts);
  threadStreamRoutes(app, parts);
  storeRoutes(app, parts);
  metaRoutes(app, parts);
}

/** The methods that some route has for a path. */
function methodsOf(app: OpenAPIHono, path: string): string[] {
  const fits = app.routes.filter(
    ({ method, path: pattern }) =>
      method !== "ALL" &&
      new RegExp(`^${pattern.replace(/:[A-Za-z_]+/g, "[^/]+").replaceAll("*", ".*")}$`).test(path),
  );
  return [...new Set(fits.map(({ method }) => method))];
}
