import { z } from "zod";
import { DecisionType, Tier } from "../policy/index.ts";
import { Args, RecordedDecision } from "./decision.ts";
import { RubberStampTerms } from "./friction.ts";
import { GrantScope } from "./grant.ts";
import { People } from "./people.ts";
import { Take } from "./take.ts";

/** How an approval stands. All but `pending` are outcomes, and an approval has exactly one. */
export const ApprovalStatus = z
  .enum(["pending", "approved", "edited", "rejected", "responded", "expired", "cancelled", "unavailable"])
  .meta({ id: "ApprovalStatus" });
export type ApprovalStatus = z.infer<typeof ApprovalStatus>;

export const ApprovalKind = z
  .enum(["call", "outcome", "interrupt"])
  .describe(
    "`call`: may this call run. `outcome`: what became of an execution that left no result. " +
      "`interrupt`: a question that a graph asks by itself; it is given the decision, and nothing runs here for it.",
  );
export type ApprovalKind = z.infer<typeof ApprovalKind>;

/** What each event of a call names. */
export const ofCall = { tool_call_id: z.string(), tool: z.string() };

/** What the events about an approval hold. */
export const approvalPayloads = {
  approval_requested: z.object({
    ...ofCall,
    approval_id: z.string(),
    kind: ApprovalKind,
    round: z.number().int().positive(),
    turn_id: z.string(),
    args: Args,
    args_digest: z.string(),
    tier: Tier,
    rules: z.array(z.string()),
    reason: z.string(),
    description: z.string().nullable(),
    allowed_decisions: z.array(DecisionType),
    require_reason: z.array(DecisionType),
    args_schema: z.record(z.string(), z.unknown()).nullable(),
    expires_at: z.string().nullable(),
    /** `interrupt`: the graph pauses; `callback`: a person asked in process; `none`: settled by policy at once. */
    asked_by: z.enum(["interrupt", "callback", "none"]),
    interrupt_id: z.string().nullable(),
    /** The root graph's checkpoint under which it was opened. */
    checkpoint_id: z.string().nullable(),
    /** What new input on the thread does to the question while it is open. */
    on_new_input: z.enum(["refuse", "withdraw"]).optional(),
    ...People.partial().shape,
    /** What of a decision may be remembered; nothing when it is left out. */
    remember: z
      .object({
        scopes: z.array(GrantScope),
        max_ttl: z.string(),
        max_uses: z.number().int(),
        schema_digest: z.string().nullable(),
        /** Where the paths among the arguments lead, as policy's facts say; left out where there are none. */
        paths: z.record(z.string(), z.string().nullable()).optional(),
      })
      .optional(),
    /** What policy says of reviewers who no longer read. */
    rubber_stamp: RubberStampTerms.optional(),
    /** What it takes of allowances and of budgets of questions. */
    takes: z.array(Take).optional(),
    /** Until when nobody is to be told of it: as many questions as policy allows were asked before. */
    quiet_until: z.string().optional(),
    /** The groups whose members would have been asked, had they not been asked as much as policy allows. */
    in_place_of: z.array(z.array(z.string())).optional(),
    /** A `suggest` call that is shown and not waited for: no approval is opened. */
    announced: z.literal(true).optional(),
  }),
  approval_shown: z.object({ ...ofCall, approval_id: z.string() }),
  approval_resolved: z.object({
    ...ofCall,
    approval_id: z.string(),
    status: ApprovalStatus.exclude(["pending"]),
    decision: RecordedDecision,
  }),
  /** One of several people who must approve has done so. */
  vote_cast: z.object({
    ...ofCall,
    approval_id: z.string(),
    /** Of the arguments that it is for. */
    args_digest: z.string(),
    decision: RecordedDecision,
    /** How many there are by now, of how many. */
    votes: z.number().int().positive(),
    quorum: z.number().int().positive(),
  }),
  /** Nobody answered in time: the question has gone to another group as well, with a new clock. */
  approval_escalated: z.object({
    ...ofCall,
    approval_id: z.string(),
    group: z.string(),
    reviewers: z.array(z.string()).nullable(),
    expires_at: z.string(),
    level: z.number().int().positive(),
  }),
  /** Three quarters of a question's time are over. */
  approval_warned: z.object({ ...ofCall, approval_id: z.string(), expires_at: z.string() }),
};
