import { z } from "zod";
import { DURATION_PATTERN } from "./duration.ts";
import { DecisionType } from "./tier.ts";

/** How a group of reviewers may be called. */
export const GROUP_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u;

export const Groups = z
  .record(
    z.string().regex(GROUP_NAME),
    z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(1_000)
      .describe("The ids of its members, as their credentials name them."),
  )
  .meta({ id: "Groups" });

/** Groups of reviewers by name: the ids of their members, as their credentials name them. */
export type Groups = z.infer<typeof Groups>;

export const AutomaticReviewer = z
  .strictObject({
    use: z
      .string()
      .regex(/^[\p{L}\p{N}][\p{L}\p{N}._:/-]{0,99}$/u)
      .describe("The name under which it is registered in code."),
    may: z
      .array(DecisionType.exclude(["respond", "edit"]))
      .min(1)
      .optional()
      .describe("What it may decide; anything else goes on to the next one. Default: only `reject`."),
    timeout: z.string().regex(DURATION_PATTERN).optional().describe('How long it may take. Default: "20s".'),
  })
  .meta({ id: "AutomaticReviewer", description: "A function or a model that is asked before a person." });

/** An automatic reviewer, as written. */
export type AutomaticReviewerInput = z.infer<typeof AutomaticReviewer>;
