import { OpenAPIHono } from "@hono/zod-openapi";
import type { Hono } from "hono";
import { limitDepth } from "../guards/body-depth.ts";
import { secureHeaders } from "../guards/headers.ts";
import { limitBody, onlyJson } from "../guards/json-bodies.ts";
import { DEFAULT_LIMITS } from "../guards/limits.ts";
import { guardOrigin } from "../guards/origin.ts";
import { refuseInvalid } from "../guards/refuse-invalid.ts";
import type { DeskParts, NamedPolicy } from "../parts.ts";
import { answerError, ServerError } from "../problem.ts";
import { approvalRoutes } from "../routes/approvals.ts";
import { fatigueRoutes } from "../routes/fatigue.ts";
import { grantRoutes } from "../routes/grants.ts";
import { auditRoutes } from "../routes/audit.ts";
import { decisionRoutes } from "../routes/decisions.ts";
import { eventRoutes } from "../routes/events.ts";
import { policyRoutes } from "../routes/policies.ts";

/** The paths that are ours. What else the other server answers is its own, checks included. */
const PATHS = [
  ...["/approvals/*", "/threads/:thread_id/approvals/*", "/grants/*", "/fatigue", "/events", "/audit/*"],
  "/policies/*",
];

/** Routes about approvals without those of LangGraph: an app to be mounted in a server that has these already. */
export function createMountedApp(
  parts: DeskParts & {
    policies: NamedPolicy[];
    allowOrigins: readonly string[];
    /** Is told of each request that reaches the server behind us. */
    onRequest: () => void;
  },
): Hono {
  const app = new OpenAPIHono({ defaultHook: refuseInvalid });
  app.onError(answerError((error) => parts.ports.onError(error)));
  app.use((_c, next) => {
    parts.onRequest();
    return next();
  });
  // Ahead of us the other server may have allowed every origin already.
  const headers = secureHeaders(parts.allowOrigins);
  const guard = guardOrigin({ host: "127.0.0.1", allowOrigins: parts.allowOrigins });
  for (const path of PATHS)
    app.use(path, headers, guard, onlyJson, limitBody(DEFAULT_LIMITS), limitDepth(DEFAULT_LIMITS));
  decisionRoutes(app, parts);
  approvalRoutes(app, parts);
  grantRoutes(app, parts);
  fatigueRoutes(app, parts);
  eventRoutes(app, parts);
  auditRoutes(app, parts);
  policyRoutes(app, { policies: parts.policies, judge: async () => null, ports: { threads, graphs } });
  return app as unknown as Hono;
}

const threads = { get: () => Promise.reject(notHere("thread_id")) };
const graphs = {
  assertServed: () => {
    throw notHere("graph_id");
  },
};

function notHere(name: string): ServerError {
  return new ServerError(
    "not_supported",
    `"${name}" is not supported where another server runs the graphs. Give a "policy", by its name or whole.`,
  );
}
