import { z } from "zod";

/** JSON arguments of a call: a plain object. */
export const Args = z.record(z.string(), z.unknown());
export type Args = z.infer<typeof Args>;

const common = {
  /** Why, in the reviewer's words. For the ledger, not for the model. */
  reason: z.string().max(10_000).optional(),
};

/** What a reviewer answers to one approval. */
export const Decision = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("approve"), ...common }),
    /** `tool` names another tool to run instead; such an edit always needs a question of its own. */
    z.strictObject({ type: z.literal("edit"), args: Args, tool: z.string().optional(), ...common }),
    z.strictObject({ type: z.literal("reject"), message: z.string().max(100_000).optional(), ...common }),
    /** `value` answers the question of a graph that takes any JSON; `message` is its text then. */
    z.strictObject({
      type: z.literal("respond"),
      message: z.string().max(1_000_000),
      value: z.unknown().optional(),
      ...common,
    }),
  ])
  .meta({ id: "Decision" });
export type Decision = z.infer<typeof Decision>;
export type DecisionType = Decision["type"];

/** Who decided. A `user` without an id is whoever had access where nobody is identified. */
export const DecidedBy = z
  .object({
    kind: z.enum(["user", "reviewer", "grant", "allowance", "policy", "timeout", "system"]),
    id: z.string().optional(),
  })
  .meta({ id: "DecidedBy" });
export type DecidedBy = z.infer<typeof DecidedBy>;

/** A decision as the ledger keeps it. `type` is `null` where nobody decided: an expiry, a cancel. */
export const RecordedDecision = z
  .object({
    type: z.enum(["approve", "edit", "reject", "respond"]).nullable(),
    args: Args.optional(),
    tool: z.string().optional(),
    message: z.string().optional(),
    value: z.unknown().optional(),
    reason: z.string().optional(),
    decided_by: DecidedBy,
    decided_at: z.string(),
  })
  .meta({ id: "RecordedDecision" });
export type RecordedDecision = z.infer<typeof RecordedDecision>;
