import { OpenAPIHono } from "@hono/zod-openapi";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { addRoutes } from "../app.ts";
import { readVersion } from "../named-policies.ts";
import { openApiOf } from "./open-api.ts";
import type { ServerParts } from "../parts.ts";

/** The text of `openapi.json`: what the routes say of themselves. */
export async function openApiDocument(): Promise<string> {
  const app = new OpenAPIHono();
  const version = await readVersion();
  // Nothing is served here, so the routes need none of the parts that they would work with.
  addRoutes(app, { ports: {}, version, langgraphVersion: "" } as unknown as ServerParts);
  return `${JSON.stringify(openApiOf(app, version), null, 2)}\n`;
}

const [, program] = process.argv;
if (program === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL("../../../openapi.json", import.meta.url), await openApiDocument());
}
