import { z } from "zod";
import { DURATION_PATTERN, When } from "../policy/index.ts";

/** JSON arguments of a call: a plain object. */
export const Args = z.record(z.string(), z.unknown());
export type Args = z.infer<typeof Args>;

/**
 * A test of arguments as in a rule. Plain here, since what describes the API cannot follow a schema that holds itself;
 * `policy schema` has it in full.
 */
export const TestOfArguments = z
  .record(z.string(), z.unknown())
  .refine((value) => When.safeParse(value).success, "is no test of arguments as in a rule")
  .meta({ id: "TestOfArguments" });

/** Says that a key is required, or what it must be. */
const asked =
  (choices: string) =>
  ({ input }: { input?: unknown }) =>
    input === undefined ? "is required" : `must be ${choices}`;

/** What is to be remembered with a decision. Without a time and a number of uses, what the approval allows at most. */
export const Remember = z
  .strictObject({
    scope: z.enum(["thread", "user", "everyone"], { error: asked('"thread", "user" or "everyone"') }),
    match: z
      .union([z.enum(["exact", "tool"]), TestOfArguments], {
        error: asked('"exact", "tool" or a test of arguments as in a rule'),
      })
      .describe("The exact arguments, every call of the tool, or a test of the arguments as in a rule."),
    ttl: z.string().regex(DURATION_PATTERN).optional().describe('How long, like "30m" or "8h".'),
    uses: z.number().int().min(1).optional().describe("How many calls it decides at most."),
  })
  .meta({ id: "Remember" });
export type Remember = z.infer<typeof Remember>;

const common = {
  /** Why, in the reviewer's words. For the ledger, not for the model. */
  reason: z.string().max(10_000).optional(),
};

/** What a reviewer answers to one approval. */
export const Decision = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("approve"), remember: Remember.optional(), ...common }),
    /** `tool` names another tool to run instead; such an edit always needs a question of its own. */
    z.strictObject({
      type: z.literal("edit"),
      args: Args,
      tool: z.string().optional(),
      remember: Remember.optional(),
      ...common,
    }),
    z.strictObject({
      type: z.literal("reject"),
      message: z.string().max(100_000).optional(),
      remember: Remember.optional(),
      ...common,
    }),
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
    /** The signs of not reading that the reviewer showed, and got friction for. */
    friction: z.string().optional(),
    /** What is remembered with it. */
    grant_id: z.string().optional(),
    decided_by: DecidedBy,
    decided_at: z.string(),
  })
  .meta({ id: "RecordedDecision" });
export type RecordedDecision = z.infer<typeof RecordedDecision>;
