import { z } from "zod";
import { DURATION_PATTERN } from "./duration.ts";
import { SCOPES } from "./grants.ts";

const duration = z.string().regex(DURATION_PATTERN);

export const Grants = z
  .strictObject({
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .describe(
        "For whose calls: of the same thread, of the user who asked, of everyone. Default: `thread`.",
      ),
    maxTtl: duration.describe('For how long at most. Default: "8h".'),
    maxUses: z.number().int().min(1).max(10_000).describe("For how many calls at most. Default: 50."),
  })
  .partial()
  .meta({ id: "Grants" });

export const Allowance = z
  .strictObject({
    id: z
      .string()
      .regex(/^[\p{L}\p{N}][\p{L}\p{N}._:/-]{0,99}$/u)
      .describe("The name of the allowance, kept in the record."),
    tools: z
      .array(z.string().regex(/^[^\s[\]{}!*?]{1,128}$/))
      .min(1)
      .describe("The exact names of the tools whose calls it lets run."),
    sum: z
      .string()
      .min(1)
      .max(200)
      .describe(
        "The dot path of the argument that is summed up. A call without a number there is asked about.",
      ),
    upTo: z.number().min(0).describe("What the sum may come to. A call that would go beyond is asked about."),
    per: duration.describe('Within how long, like "1d": a window that moves with the clock.'),
    by: z
      .enum(["thread", "user", "everyone"])
      .optional()
      .describe("Whose calls are summed up together. Default: `thread`."),
  })
  .meta({ id: "Allowance", description: "Calls that run without asking as long as a sum stays small." });

/** An allowance, as written. */
export type AllowanceInput = z.infer<typeof Allowance>;

export const Budget = z
  .strictObject({
    asks: z.number().int().min(0).max(100_000).describe("How many questions."),
    per: duration.describe('Within how long, like "1h": a window that moves with the clock.'),
    by: z
      .enum(["reviewers", "thread", "run"])
      .optional()
      .describe(
        "Whose questions are counted together: those that the same reviewers get, of one thread, of one run. Default: `reviewers`.",
      ),
    over: z
      .enum(["reject", "digest", "escalate"])
      .optional()
      .describe(
        "What becomes of a question beyond it: rejected at once; opened without a notice until there is room; put to the first group of `escalate`. Default: `reject`.",
      ),
  })
  .meta({ id: "Budget" });

/** How many questions people are asked, as written. */
export type BudgetInput = z.infer<typeof Budget>;

const Repeat = z
  .strictObject({
    afterReject: z
      .enum(["reject", "ask"])
      .describe("A call that was rejected in this thread, with the same arguments again. Default: `reject`."),
    afterExpiry: z
      .enum(["reject", "ask"])
      .describe("One whose question nobody answered in time. Default: `ask`."),
    asksPerRun: z
      .number()
      .int()
      .min(1)
      .max(10_000)
      .describe("How many questions one run may ask until the user says something again. Default: 30."),
  })
  .partial()
  .meta({ id: "Repeat" });

export const RubberStamp = z
  .strictObject({
    window: z
      .number()
      .int()
      .min(5)
      .max(1_000)
      .describe("How many of the newest decisions of a reviewer are looked at, for each rule."),
    approveRate: z
      .number()
      .min(0.5)
      .max(1)
      .optional()
      .describe("The share of approvals that is a sign. Default: 0.95."),
    medianSeconds: z
      .number()
      .min(0)
      .max(600)
      .optional()
      .describe("The median of the time between shown and decided that is a sign. Default: 2."),
    then: z
      .strictObject({
        requireReason: z.boolean().describe("Approvals need a reason."),
        pauseSeconds: z
          .number()
          .int()
          .min(1)
          .max(300)
          .describe("A decision is taken only so long after the question was shown."),
        secondReviewer: z.boolean().describe("Another reviewer must approve as well. Needs identities."),
      })
      .partial()
      .describe("What the reviewer gets then, until the signs are gone."),
  })
  .meta({ id: "RubberStamp" });

/** Signs that a reviewer no longer reads, as written. */
export type RubberStampInput = z.infer<typeof RubberStamp>;

export const Fatigue = z
  .strictObject({
    budget: Budget.optional().describe("How many questions people are asked."),
    repeat: Repeat.optional().describe("What becomes of a call that was put to people before."),
    rubberStamp: RubberStamp.optional().describe("Signs that a reviewer no longer reads, and what follows."),
  })
  .meta({ id: "Fatigue" });

/** What an overlay may say of it. */
export const FatigueOverlay = z
  .strictObject({ budget: Budget.optional(), repeat: Repeat.optional() })
  .meta({ id: "FatigueOverlay" });

/** What an overlay says of questions, as written. */
export type FatigueInput = z.infer<typeof FatigueOverlay>;
