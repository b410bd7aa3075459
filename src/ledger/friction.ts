import { z } from "zod";

/** What a policy says of reviewers who no longer read, as a question keeps it. */
export const RubberStampTerms = z
  .object({
    window: z.number().int().positive(),
    approve_rate: z.number(),
    median_seconds: z.number(),
    require_reason: z.boolean(),
    pause_seconds: z.number(),
    second_reviewer: z.boolean(),
  })
  .meta({ id: "RubberStampTerms" });
export type RubberStampTerms = z.infer<typeof RubberStampTerms>;

/** What one reviewer gets for one question, since they show signs of not reading, and why. */
export const Friction = z
  .object({
    require_reason: z.boolean().describe("An approval of theirs needs a reason."),
    decide_after: z
      .string()
      .nullable()
      .describe("Their decision is taken from then on; `null` as long as nobody was shown the question."),
    second_reviewer: z.boolean().describe("Somebody else must approve as well."),
    why: z.string().describe("The signs, with their figures."),
  })
  .meta({ id: "Friction" });
export type Friction = z.infer<typeof Friction>;
