import type { OpenAPIHono } from "@hono/zod-openapi";

/** The description of an app's routes, as far as they describe themselves. */
export function openApiOf(
  app: OpenAPIHono,
  version: string,
): ReturnType<OpenAPIHono["getOpenAPI31Document"]> {
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Countersign",
      version,
      description:
        "Approvals of tool calls, and the LangGraph API as its official clients speak it. Errors are problem documents " +
        "with a stable `code`. Bodies are JSON, at most 1 MiB.",
      license: { name: "MIT" },
    },
  });
}
