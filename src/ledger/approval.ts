import { z } from "zod";
import { Tier } from "../policy/index.ts";
import { Args, RecordedDecision } from "./decision.ts";
import { ApprovalKind, ApprovalStatus } from "./event.ts";
import { Friction, RubberStampTerms } from "./friction.ts";
import { People } from "./people.ts";

/** What became of an approval's call. */
export const ExecutionView = z
  .object({
    state: z.enum(["none", "started", "paused", "succeeded", "failed", "unknown", "blocked"]),
    started_at: z.string().optional(),
    finished_at: z.string().optional(),
    error: z.string().optional(),
  })
  .meta({ id: "Execution" });
export type ExecutionView = z.infer<typeof ExecutionView>;

/** One question about one call occurrence, as lists and clients see it. Times are ISO 8601 in UTC. */
export const Approval = z
  .object({
    approval_id: z.string(),
    kind: ApprovalKind,
    round: z.number().int(),
    call_id: z.string(),
    thread_id: z.string(),
    run_id: z.string().nullable(),
    graph_id: z.string().nullable(),
    assistant_id: z.string().nullable(),
    path: z.string(),
    interrupt_id: z.string().nullable(),
    checkpoint_id: z.string().nullable(),
    turn_id: z.string(),
    group_id: z
      .string()
      .nullable()
      .describe(
        "The group of alike calls of one turn that it is shown in; `null` where no call is asked about.",
      ),
    tool_call_id: z.string(),
    tool: z.string(),
    args: Args,
    args_digest: z.string(),
    mask: z
      .array(z.string())
      .describe(
        "Paths of arguments that policy hides from people: `***` stands in their place. In the ledger, its masks.",
      ),
    tier: Tier,
    rules: z.array(z.string()),
    reason: z.string(),
    description: z.string().nullable(),
    allowed_decisions: z.array(z.enum(["approve", "edit", "reject", "respond"])),
    require_reason: z.array(z.enum(["approve", "edit", "reject", "respond"])),
    args_schema: z.record(z.string(), z.unknown()).nullable(),
    asked_by: z.enum(["interrupt", "callback", "none"]),
    remember: z
      .object({
        scopes: z.array(z.enum(["thread", "user", "everyone"])),
        max_ttl: z.string(),
        max_uses: z.number().int(),
        schema_digest: z.string().nullable(),
        paths: z.record(z.string(), z.string().nullable()).optional(),
      })
      .optional()
      .describe("What of a decision may be remembered, at most; nothing when it is left out."),
    on_new_input: z.enum(["refuse", "withdraw"]).optional(),
    ...People.partial({ timeout_ms: true }).shape,
    rubber_stamp: RubberStampTerms.optional().describe(
      "What policy says of reviewers who no longer read; nothing when it is left out.",
    ),
    friction: Friction.optional().describe(
      "What you get for this question, since you show signs of not reading. Only where one is read.",
    ),
    quiet_until: z
      .string()
      .optional()
      .describe("Until when nobody is told of it: people were asked as much before as policy allows."),
    in_place_of: z
      .array(z.array(z.string()))
      .optional()
      .describe("The groups that would have been asked, had they not been asked as much as policy allows."),
    escalated: z.number().int().describe("How many of the groups of `escalate` it has gone to."),
    warned_at: z.string().nullable().describe("When it was told that little of its time is left."),
    requested_by: z.string().nullable(),
    requested_at: z.string(),
    first_shown_at: z.string().nullable(),
    expires_at: z.string().nullable(),
    status: ApprovalStatus,
    decision: RecordedDecision.nullable(),
    votes: z
      .array(RecordedDecision)
      .describe("Where several people must approve: the approvals that there are, with the last one."),
    next_approval_id: z.string().nullable(),
    execution: ExecutionView,
  })
  .meta({ id: "Approval" });
export type Approval = z.infer<typeof Approval>;
