import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { DOCS_POLICY, docsPage } from "../description/docs-page.ts";
import { openApiOf } from "../description/open-api.ts";
import type { ServerParts } from "../parts.ts";
import { jsonAnswer, problemAnswer } from "../schemas.ts";

/**
 * The version of LangGraph's own JavaScript server whose API this one speaks. Clients read from it what they may use:
 * LangGraph Studio takes a server with a low number, such as our own would be, for one that is too old to talk to.
 */
const API_VERSION = "1.5.1";

const ok = createRoute({
  ...{ method: "get", path: "/ok", summary: "Whether the server can serve" },
  description: "It can when its store answers within a second, and it is not stopping.",
  responses: {
    200: jsonAnswer(z.object({ ok: z.boolean() }), "It can."),
    503: { description: "`not_ready`, `stopping`" },
    default: problemAnswer,
  },
});

const info = createRoute({
  ...{ method: "get", path: "/info", summary: "What the server is" },
  responses: {
    200: jsonAnswer(
      z.object({
        version: z.string().describe("Of LangGraph's server, as which clients may use this one."),
        countersign_version: z.string().describe("Of this server."),
        langgraph_js_version: z.string(),
        context: z.literal("js"),
        flags: z.object({ assistants: z.boolean(), crons: z.boolean(), langsmith: z.boolean() }),
        graphs: z.array(z.string()).describe("The names that an `assistant_id` may be."),
      }),
      "Versions and abilities.",
    ),
    default: problemAnswer,
  },
});

const metrics = createRoute({
  ...{ method: "get", path: "/metrics", summary: "Figures for Prometheus" },
  responses: {
    200: { description: "The figures.", content: { "text/plain": { schema: z.string() } } },
    default: problemAnswer,
  },
});

/** Health, figures, versions, and the description of the API. */
export function metaRoutes(app: OpenAPIHono, about: ServerParts): void {
  app.openapi(ok, async (c) => {
    await about.health.assertReady();
    return c.json({ ok: true }, 200);
  });
  app.openapi(metrics, async (c) => {
    c.header("Content-Type", about.metrics.contentType);
    return c.text(await about.metrics.text(), 200);
  });
  app.openapi(info, (c) =>
    c.json(
      {
        version: API_VERSION,
        countersign_version: about.version,
        langgraph_js_version: about.langgraphVersion,
        context: "js" as const,
        flags: { assistants: true, crons: false, langsmith: false },
        graphs: about.ports.graphs.ids(),
      },
      200,
    ),
  );
  app.get("/openapi.json", (c) => c.json(openApiOf(app, about.version)));
  app.get("/docs", (c) => {
    c.header("Content-Security-Policy", DOCS_POLICY);
    return c.html(docsPage(openApiOf(app, about.version)));
  });
}
