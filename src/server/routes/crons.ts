import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { ServerError } from "../problem.ts";
import { problemAnswer } from "../schemas.ts";

const CronId = z.object({ cron_id: z.string() });
const ThreadId = z.object({ thread_id: z.string() });

const summary = "Not supported: this server runs nothing on a schedule";
const responses = { 422: { description: "`not_supported`" }, default: problemAnswer };

const routes = [
  createRoute({ ...{ method: "post", path: "/runs/crons", summary, responses } }),
  createRoute({ ...{ method: "post", path: "/runs/crons/search", summary, responses } }),
  createRoute({ ...{ method: "post", path: "/runs/crons/count", summary, responses } }),
  createRoute({
    ...{ method: "get", path: "/runs/crons/{cron_id}", summary, responses },
    request: { params: CronId },
  }),
  createRoute({
    ...{ method: "patch", path: "/runs/crons/{cron_id}", summary, responses },
    request: { params: CronId },
  }),
  createRoute({
    ...{ method: "delete", path: "/runs/crons/{cron_id}", summary, responses },
    request: { params: CronId },
  }),
  createRoute({
    ...{ method: "post", path: "/threads/{thread_id}/runs/crons", summary, responses },
    request: { params: ThreadId },
  }),
];

/** The clients' crons. There are none here, and each request is told so. */
export function cronRoutes(app: OpenAPIHono): void {
  for (const route of routes)
    app.openapi(route, () => {
      throw new ServerError(
        "not_supported",
        "This server has no crons. Let a scheduler of your own, as cron or a CI job, post to /runs or /threads/:thread_id/runs.",
      );
    });
}
