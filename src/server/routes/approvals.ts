import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { Approval, ApprovalStatus } from "../../ledger/index.ts";
import { jsonAnswer, problemAnswer, ThreadId, Wait } from "../schemas.ts";
import { decider, hasRole, principalOf } from "../identity/principal.ts";
import type { DeskParts } from "../parts.ts";

const ApprovalId = z.object({ approval_id: z.string().max(200) });

const Page = z
  .object({ approvals: z.array(Approval), next_cursor: z.string().nullable() })
  .meta({ id: "ApprovalPage" });

const list = createRoute({
  method: "get",
  path: "/approvals",
  summary: "List approvals, oldest first",
  request: {
    query: z.object({
      status: z
        .union([ApprovalStatus, z.literal("all")], {
          error: `must be one of ${[...ApprovalStatus.options, "all"].map((one) => `"${one}"`).join(", ")}`,
        })
        .default("pending")
        .describe("How they stand, or `all`."),
      thread_id: ThreadId.optional(),
      run_id: z.string().optional(),
      tool: z.string().optional(),
      group_id: z
        .string()
        .max(200)
        .optional()
        .describe(
          "Only of this group. A page may hold fewer than there are: go on while it has a `next_cursor`.",
        ),
      limit: z.coerce.number().int().min(1).max(1_000).openapi({ type: "integer" }).optional(),
      cursor: z.string().optional().describe("A `next_cursor`, as it was."),
    }),
  },
  responses: { 200: jsonAnswer(Page, "One page."), default: problemAnswer },
});

const get = createRoute({
  method: "get",
  path: "/approvals/{approval_id}",
  summary: "One approval",
  description:
    "`wait` holds the answer until it is settled, at most so many seconds. Nothing is decided by waiting.",
  request: { params: ApprovalId, query: z.object({ wait: Wait }) },
  responses: { 200: jsonAnswer(Approval, "The approval."), default: problemAnswer },
});

const shown = createRoute({
  method: "post",
  path: "/approvals/{approval_id}/shown",
  summary: "A person has it before the eyes",
  request: { params: ApprovalId },
  responses: { 200: jsonAnswer(Approval, "The approval."), default: problemAnswer },
});

/** Whether who asks may decide, so that no run's own policy hides from them what they decide about. */
function mayDecide(c: Context): { isDecider: boolean } {
  return { isDecider: hasRole(principalOf(c), "reviewer") };
}

/** Reading approvals: lists, single ones, and that a person has seen one. */
export function approvalRoutes(app: OpenAPIHono, { desk, ports, threadsSeenBy }: DeskParts): void {
  const tell = (approvals: readonly Approval[]): void =>
    ports.told?.add(approvals.flatMap(({ interrupt_id: id }) => (id === null ? [] : [{ id }])));
  app.openapi(list, async (c) => {
    const wanted = { ...c.req.valid("query"), among: threadsSeenBy(principalOf(c)) };
    const query = Object.entries(wanted).filter(([, value]) => value !== undefined);
    const page = await desk.list(Object.fromEntries(query), mayDecide(c));
    tell(page.approvals);
    return c.json(page, 200);
  });
  app.openapi(get, async (c) => {
    const { wait = 0 } = c.req.valid("query");
    const by = decider(principalOf(c));
    const approval = await desk.get(c.req.valid("param").approval_id, {
      waitMs: wait * 1_000,
      by,
      ...mayDecide(c),
    });
    tell([approval]);
    return c.json(approval, 200);
  });
  app.openapi(shown, async (c) =>
    c.json(await desk.shown(c.req.valid("param").approval_id, mayDecide(c)), 200),
  );
}
