import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { docsPage } from "../description/docs-page.ts";
import { openApiOf } from "../description/open-api.ts";
import type { ServerParts } from "../parts.ts";
import { jsonAnswer, problemAnswer } from "../schemas.ts";

const ok = createRoute({
  ...{ method: "get", path: "/ok", summary: "Whether the server answers" },
  responses: { 200: jsonAnswer(z.object({ ok: z.boolean() }), "It does."), default: problemAnswer },
});

const info = createRoute({
  ...{ method: "get", path: "/info", summary: "What the server is" },
  responses: {
    200: jsonAnswer(
      z.object({
        version: z.string(),
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

/** Health, versions, and the description of the API. */
export function metaRoutes(app: OpenAPIHono, about: ServerParts): void {
  app.openapi(ok, (c) => c.json({ ok: true }, 200));
  app.openapi(info, (c) =>
    c.json(
      {
        version: about.version,
        langgraph_js_version: about.langgraphVersion,
        context: "js" as const,
        flags: { assistants: false, crons: false, langsmith: false },
        graphs: about.ports.graphs.ids(),
      },
      200,
    ),
  );
  app.get("/openapi.json", (c) => c.json(openApiOf(app, about.version)));
  app.get("/docs", (c) => c.html(docsPage(openApiOf(app, about.version))));
}
