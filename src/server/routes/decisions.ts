import { createRoute, z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { setTimeout as sleep } from "node:timers/promises";
import { DeskError, type Settled } from "../../desk/index.ts";
import { Approval, type DecidedBy, Decision } from "../../ledger/index.ts";
import { approvalOfCall } from "../threads/approval-of-call.ts";
import { faultsOf } from "../problem.ts";
import { refuseInvalid, type Validated } from "../guards/refuse-invalid.ts";
import { jsonAnswer, jsonBody, problemAnswer, ThreadId, Wait } from "../schemas.ts";
import { decider, principalOf } from "../identity/principal.ts";
import type { DeskParts } from "../parts.ts";

const ArgsDigest = z
  .string()
  .optional()
  .describe(
    "The digest of the arguments that were shown. Where the approval has another one, it is 409 `digest_changed`.",
  );

const DecisionBody = z
  .union([
    Decision,
    z
      .looseObject({ type: z.string(), args_digest: ArgsDigest })
      .describe(
        "The forms of LangChain (`editedAction`) and of the older inboxes (`accept`, `response`, `ignore`).",
      ),
  ])
  .meta({ id: "DecisionBody" });

const Decided = z
  .object({
    approval: Approval,
    run_id: z.string().nullable().describe("The run that goes on, or behind which it is queued."),
    resumed: z.boolean().describe("`false`: queued behind the run that is live."),
  })
  .meta({ id: "Decided" });

const headers = z.object({
  "idempotency-key": z
    .string()
    .max(200)
    .optional()
    .describe("A repeated post gets the first answer, for 24 h."),
});
const ApprovalId = z.object({ approval_id: z.string().max(200) });
const wait = z.object({ wait: Wait.describe("Seconds to hold the answer until the run has stopped again.") });

const decide = createRoute({
  method: "post",
  path: "/approvals/{approval_id}/decision",
  summary: "Decide one approval",
  description:
    "The first valid decision wins. 409 `already_decided` and 410 carry the approval as it stands. Where several people " +
    "must approve, the approval of one leaves it `pending` with `votes`; theirs again is 409 `already_voted`, and that of " +
    "whoever may not decide it 403 `forbidden`. The answer to a " +
    "graph's own question (`kind: interrupt`) may be any JSON, as the `value` of a `respond`; a question about several " +
    "actions is handed to the graph when the last of them is decided.",
  request: { params: ApprovalId, query: wait, headers, body: jsonBody(DecisionBody, "The decision.") },
  responses: { 200: jsonAnswer(Decided, "It is taken."), default: problemAnswer },
});

const decideAll = createRoute({
  method: "post",
  path: "/approvals/decisions",
  summary: "Decide several approvals, all or none",
  request: {
    query: wait,
    headers,
    body: jsonBody(
      z.object({
        decisions: z
          .array(z.looseObject({ approval_id: z.string(), type: z.string(), args_digest: ArgsDigest }))
          .min(1)
          .max(1_000),
      }),
      "The decisions, each with its `approval_id`.",
    ),
  },
  responses: {
    200: jsonAnswer(z.object({ decisions: z.array(Decided) }), "All are taken."),
    default: problemAnswer,
  },
});

const decideCall = createRoute({
  method: "post",
  path: "/threads/{thread_id}/approvals/{tool_call_id}",
  summary: "Decide the approval of a call, found by thread and call",
  request: {
    params: z.object({ thread_id: ThreadId, tool_call_id: z.string().max(500) }),
    query: wait,
    headers,
    body: jsonBody(DecisionBody, "The decision."),
  },
  responses: { 200: jsonAnswer(Decided, "It is taken."), default: problemAnswer },
});

const withdraw = createRoute({
  method: "delete",
  path: "/approvals/{approval_id}",
  summary: "Withdraw a question",
  description: "It ends as `cancelled`, the call is not run, and a late answer is 410.",
  request: { params: ApprovalId, query: wait, headers },
  responses: { 200: jsonAnswer(Decided, "It is withdrawn."), default: problemAnswer },
});

/** What was sent is no decision at all: the approval is still pending. */
function refuseBody(result: Validated & { error?: z.core.$ZodError }): undefined {
  if (result.success) return undefined;
  // Only a body can be no decision; what is wrong with the address or a header is so on any route.
  if (result.target !== "json") return refuseInvalid(result);
  const errors = faultsOf(result.error?.issues ?? []);
  const message =
    'A decision is an object with a "type": "approve", "edit", "reject" or "respond". Nothing was decided.';
  throw new DeskError("invalid_decision", message, { errors });
}

/** Who decides, as the credential says. */
function byOf(c: Context): { by: DecidedBy } {
  return { by: decider(principalOf(c)) };
}

/** Deciding and withdrawing. Who decides is never read from a body. */
export function decisionRoutes(app: OpenAPIHono, { desk, ports, manager }: DeskParts): void {
  /** Holds the answer until the run has stopped again, and shows the approval as it is then. */
  const settled = async (done: Settled, seconds = 0): Promise<Settled> => {
    if (seconds <= 0) return done;
    const timer = new AbortController();
    const { thread_id, approval_id } = done.approval;
    const timeout = sleep(seconds * 1_000, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([manager.idle(thread_id), timeout]);
    timer.abort();
    return { ...done, approval: await desk.get(approval_id) };
  };

  app.openapi(
    decide,
    async (c) => {
      const done = await desk.decide(c.req.valid("param").approval_id, c.req.valid("json"), byOf(c));
      return c.json(await settled(done, c.req.valid("query").wait), 200);
    },
    refuseBody,
  );
  app.openapi(
    decideAll,
    async (c) => {
      const given = c.req
        .valid("json")
        .decisions.map(({ approval_id, ...decision }) => ({ approval_id, decision }));
      const done = await desk.decideAll(given, byOf(c));
      const seconds = c.req.valid("query").wait;
      return c.json({ decisions: await Promise.all(done.map((one) => settled(one, seconds))) }, 200);
    },
    refuseBody,
  );
  app.openapi(
    decideCall,
    async (c) => {
      const { thread_id, tool_call_id } = c.req.valid("param");
      const approval_id = await approvalOfCall(ports.ledger, thread_id, tool_call_id);
      const done = await desk.decide(approval_id, c.req.valid("json"), byOf(c));
      return c.json(await settled(done, c.req.valid("query").wait), 200);
    },
    refuseBody,
  );
  app.openapi(withdraw, async (c) => {
    const done = await desk.withdraw(c.req.valid("param").approval_id, byOf(c));
    return c.json(await settled(done, c.req.valid("query").wait), 200);
  });
}
