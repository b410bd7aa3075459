import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { addressOf } from "../guards/address.ts";
import { problemOf } from "../problem.ts";
import type { Log } from "./logger.ts";
import type { Metrics } from "./metrics.ts";
import type { Traces } from "./traces.ts";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts each request, and tells of it in the log: refused credentials as a warning, all else for debugging only. */
export function observeRequests({
  log,
  metrics,
  traces,
}: {
  log: Log;
  metrics: Metrics;
  traces: Traces | null;
}): MiddlewareHandler {
  return async (c, next) => {
    const begin = performance.now();
    await next();
    const ms = performance.now() - begin;
    const { status } = c.res;
    const method = METHODS.has(c.req.method) ? c.req.method : "other";
    const route = routeOf(c);
    if (traces) adopt(c, traces);
    metrics.answered({ route, method, status, ms });
    const fields = { method, route, status, ms: Math.round(ms * 10) / 10, address: addressOf(c) };
    if (status !== 401 && status !== 403) return log.debug("request", { ...fields, ...idsOf(c) });
    const code = c.error === undefined ? null : problemOf(c.error).code;
    log.warn("request refused", { ...fields, code });
  };
}

/** A run that a client began is part of the trace in which it did so. */
function adopt(c: Context, traces: Traces): void {
  const traceparent = c.req.header("traceparent");
  const run_id = /\/runs\/([^/]+)$/.exec(c.res.headers.get("content-location") ?? "")?.[1];
  if (c.req.method === "POST" && traceparent !== undefined && run_id !== undefined)
    traces.adopt(run_id, traceparent);
}

/** The pattern of the route that answered: a path would hold ids, and there would be no end of figures. */
function routeOf(c: Context): string {
  return matchedRoutes(c).findLast(({ method }) => method !== "ALL")?.path ?? "none";
}

function idsOf(c: Context): Record<string, string> {
  const ids = c.req.param() as Record<string, string | undefined>;
  return Object.fromEntries(
    ["thread_id", "run_id", "approval_id"].flatMap((name) => {
      const id = ids[name];
      return id === undefined ? [] : [[name, id.slice(0, 200)]];
    }),
  );
}
