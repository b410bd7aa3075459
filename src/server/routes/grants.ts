import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { Grant } from "../../ledger/index.ts";
import { decider, principalOf } from "../identity/principal.ts";
import type { DeskParts } from "../parts.ts";
import { jsonAnswer, problemAnswer } from "../schemas.ts";

const Page = z
  .object({ grants: z.array(Grant), next_cursor: z.string().nullable() })
  .meta({ id: "GrantPage" });

const list = createRoute({
  method: "get",
  path: "/grants",
  summary: "What is remembered, oldest first",
  request: {
    query: z.object({
      status: z
        .enum(["active", "all"])
        .default("active")
        .describe("Those that hold or wait for the call they were made with, or `all`."),
      limit: z.coerce.number().int().min(1).max(1_000).openapi({ type: "integer" }).optional(),
      cursor: z.string().optional().describe("A `next_cursor`, as it was."),
    }),
  },
  responses: { 200: jsonAnswer(Page, "One page."), default: problemAnswer },
});

const revoke = createRoute({
  method: "delete",
  path: "/grants/{grant_id}",
  summary: "Forget a decision",
  description: "It decides nothing from now on. What it has decided stands.",
  request: { params: z.object({ grant_id: z.string().max(200) }) },
  responses: {
    200: jsonAnswer(Grant, "The grant, as it stands."),
    404: { description: "`unknown_grant`" },
    default: problemAnswer,
  },
});

/** Remembered decisions: what there is, and to forget one. */
export function grantRoutes(app: OpenAPIHono, { desk }: Pick<DeskParts, "desk">): void {
  app.openapi(list, async (c) => {
    const { status, limit, cursor } = c.req.valid("query");
    const query = { status, ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
    return c.json(await desk.grants(query), 200);
  });
  app.openapi(revoke, async (c) => {
    const by = decider(principalOf(c));
    return c.json(await desk.revoke(c.req.valid("param").grant_id, { by }), 200);
  });
}
