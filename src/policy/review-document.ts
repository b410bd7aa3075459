import { z } from "zod";
import { DURATION_PATTERN } from "./duration.ts";
import { GROUP_NAME } from "./people-document.ts";
import { DecisionType } from "./tier.ts";

const groupNames = z.array(z.string().regex(GROUP_NAME)).max(20);

export const Review = z
  .strictObject({
    ask: z
      .enum(["together", "one-by-one"])
      .describe("Whether the questions of one turn are open together or one after the other."),
    onNewInput: z
      .enum(["refuse", "withdraw"])
      .describe("New input while a question is open: refuse it, or withdraw the question first."),
    decisions: z
      .array(DecisionType)
      .min(1)
      .describe("The answers a reviewer is offered. Reject is always among them."),
    timeout: z
      .string()
      .regex(DURATION_PATTERN)
      .describe('How long a question waits, like "30s", "15m", "4h" or "7d".'),
    onTimeout: z
      .enum(["reject", "escalate", "approve"])
      .describe(
        "What becomes of a question that nobody answered in time: it ends and the call is not run; it goes to the next group of `escalate`; " +
          "or the call runs, only where its tier without rules is `suggest` at most and `allowTimeoutApproval` says so.",
      ),
    allowTimeoutApproval: z
      .boolean()
      .describe("Whether `onTimeout` may be `approve`: silence runs the call then."),
    escalate: groupNames
      .min(1)
      .describe("The groups that a question goes to, one after the other, each with a new clock."),
    quorum: z
      .number()
      .int()
      .min(1)
      .max(20)
      .describe("How many different reviewers must approve. One rejection ends the question."),
    separateDuties: z.boolean().describe("Whether whoever asked for the call may not decide it."),
    by: z
      .union([groupNames, z.array(groupNames.min(1)).min(1).max(20)])
      .describe(
        "The groups whose members may decide; everybody who reviews when it is empty. A list of lists: whoever is of one group of each.",
      ),
    requireReason: z.array(DecisionType).min(1).describe("The answers that need a reason."),
    remember: z
      .boolean()
      .describe("Whether a decision may be remembered; what is remembered decides nothing where it may not."),
  })
  .partial()
  .meta({ id: "Review", description: "How a call is asked about." });

/** How a call is asked about, as written. */
export type ReviewInput = z.infer<typeof Review>;
