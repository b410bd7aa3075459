import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { Fatigue } from "../../desk/index.ts";
import { DURATION_PATTERN, parseDuration } from "../../policy/index.ts";
import type { DeskParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { jsonAnswer, problemAnswer } from "../schemas.ts";

const figures = createRoute({
  method: "get",
  path: "/fatigue",
  summary: "How the reviewers fare: how often they are asked, how they decide, what was saved",
  request: {
    query: z.object({
      last: z
        .string()
        .regex(DURATION_PATTERN, 'must be a whole number and s, m, h or d, like "12h" or "30d"')
        .default("7d")
        .describe('How far back, like "12h" or "30d". Whether a figure is typical shows after 30 days.'),
    }),
  },
  responses: { 200: jsonAnswer(Fatigue, "The figures."), default: problemAnswer },
});

/** Figures of the ledger on how reviewers fare. */
export function fatigueRoutes(app: OpenAPIHono, { desk }: Pick<DeskParts, "desk">): void {
  app.openapi(figures, async (c) =>
    c.json(await desk.fatigue({ lastMs: lengthOf(c.req.valid("query").last) }), 200),
  );
}

function lengthOf(last: string): number {
  try {
    return parseDuration(last);
  } catch (error) {
    throw new ServerError("invalid_request", `"last" cannot be used: ${(error as Error).message}.`);
  }
}
