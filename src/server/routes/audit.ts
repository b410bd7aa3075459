import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import { wireEvent } from "../../ledger/index.ts";
import { principalOf } from "../identity/principal.ts";
import type { DeskParts } from "../parts.ts";
import { jsonAnswer, problemAnswer, ThreadId } from "../schemas.ts";

const AuditEvent = z
  .looseObject({
    v: z.number().int(),
    seq: z.number().int().describe("Its place in the whole ledger, from 1."),
    thread_seq: z.number().int(),
    at: z.string(),
    thread_id: z.string(),
    run_id: z.string().nullable(),
    call_id: z.string().nullable(),
    type: z.string(),
    hash: z.string().describe("Over this event and the one before it in its thread."),
    erased: z
      .literal(true)
      .optional()
      .describe("What it held was erased with its thread; `data_digest` is what is left of it."),
  })
  .meta({ id: "AuditEvent" });

const audit = createRoute({
  method: "get",
  path: "/audit",
  summary: "The ledger, in order",
  request: {
    query: z.object({
      thread_id: ThreadId.optional(),
      after: z.coerce
        .number()
        .int()
        .min(0)
        .openapi({ type: "integer" })
        .optional()
        .describe("Only events with a larger `seq`."),
      limit: z.coerce.number().int().min(1).max(10_000).openapi({ type: "integer" }).optional(),
    }),
  },
  responses: {
    200: jsonAnswer(
      z.object({ events: z.array(AuditEvent), next_after: z.number().nullable() }),
      "One page.",
    ),
    default: problemAnswer,
  },
});

const verify = createRoute({
  method: "get",
  path: "/audit/verify",
  summary: "Whether the ledger's chain holds",
  request: {
    query: z.object({ head: z.string().max(200).optional().describe("A head that was published before.") }),
  },
  responses: {
    200: jsonAnswer(
      z
        .object({
          ok: z.boolean(),
          threads: z.number(),
          events: z.number(),
          erased: z
            .number()
            .describe("How many of the events have no payload any more, as threads were deleted."),
          head: z.string(),
          broken: z.array(
            z.object({ thread_id: z.string().nullable(), seq: z.number().nullable(), problem: z.string() }),
          ),
        })
        .meta({ id: "Verification" }),
      "What was found.",
    ),
    default: problemAnswer,
  },
});

/** Reading the ledger and checking it. */
export function auditRoutes(app: OpenAPIHono, { desk, threadsSeenBy }: DeskParts): void {
  app.openapi(audit, async (c) => {
    const wanted = { ...c.req.valid("query"), among: threadsSeenBy(principalOf(c)) };
    const query = Object.entries(wanted).filter(([, value]) => value !== undefined);
    const { events, next_after } = await desk.record(Object.fromEntries(query));
    const shown = events.map((event) => {
      const { thread_seq, call_id, hash, type, v, seq, at, thread_id, run_id } = event;
      return { ...wireEvent(event), ...{ v, seq, thread_seq, at, thread_id, run_id, call_id, type, hash } };
    });
    return c.json({ events: shown, next_after }, 200);
  });
  app.openapi(verify, async (c) => {
    const { head } = c.req.valid("query");
    return c.json(await desk.verify(head === undefined ? {} : { head }), 200);
  });
}
