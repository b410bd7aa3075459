import { z } from "zod";

const share = z.number().min(0).max(1).nullable();

/** How long people took from seeing a question to deciding it. What was never marked as shown is unknown, never quick. */
export const TimeToDecide = z
  .object({
    known: z.number().int().describe("Decisions whose question was marked as shown."),
    unknown: z.number().int(),
    median_ms: z.number().nullable(),
    p95_ms: z.number().nullable(),
    too_quick: share.describe(
      "The share of the known ones that took less time than their text needs: 2 s, and 1 s more for every 200 characters, at most 10 s.",
    ),
  })
  .meta({ id: "TimeToDecide" });

const Stretch = z.object({ from: z.string(), to: z.string() });

/** How often people are asked. The bounds are those of alarm management (ISA-18.2, EEMUA 191) for one operator. */
export const Load = z
  .object({
    asks: z.number().int().describe("Questions put to people."),
    per_hour: z.number(),
    busiest_hour: z.object({ from: z.string(), asks: z.number().int() }).nullable(),
    hours_over_6: z.number().int().describe("Hours with more than is acceptable."),
    hours_over_12: z.number().int().describe("Hours with more than is manageable."),
    last_120_minutes: z.number().int(),
    floods: z.array(Stretch).describe("From more than 10 questions in 10 minutes until fewer than 5."),
    flood_share: z.number().describe("The share of the time that lies in a flood."),
  })
  .meta({ id: "ReviewLoad" });

/** What the questions of one cause came to: a tool and the rules that asked. */
export const Cause = z
  .object({
    tool: z.string(),
    rules: z.array(z.string()),
    asks: z.number().int(),
    share: z.number().describe("Of all questions. One cause with more than 0.05 is worth a look."),
    approved: share.describe("Of those that people decided."),
    changed: z.number().int().describe("How many were edited or rejected: the questions that were worth it."),
    repeated: z.number().int().describe("How many had the shape of one before."),
    hint: z.string().nullable(),
  })
  .meta({ id: "Cause" });

export const ReviewerFigures = z
  .object({
    reviewer: z.string().nullable().describe("`null`: people whom nobody identified."),
    decisions: z.number().int(),
    approved: share,
    most_per_hour: z.number().int(),
    most_per_10_minutes: z.number().int(),
    time_to_decide: TimeToDecide,
    signs: z.array(z.string()).describe("Signs that they no longer read, in words; none below 30 decisions."),
  })
  .meta({ id: "ReviewerFigures" });

const Outcomes = z.record(
  z.enum(["pending", "approved", "edited", "rejected", "responded", "expired", "cancelled", "unavailable"]),
  z.number().int(),
);

/** What the ledger says of how reviewers fare. Times are ISO 8601 in UTC, shares from 0 to 1, `null` where there is nothing. */
export const Fatigue = z
  .object({
    from: z.string(),
    to: z.string(),
    is_whole: z.boolean().describe("Whether all events of this time were read."),
    load: Load,
    outcomes: Outcomes.describe("Of the questions put to people."),
    approved: share.describe("Of those that people decided: approved as they were."),
    expired: share.describe("Of all questions put to people."),
    repeated: share.describe(
      "Questions with the shape of one before: the same tool, rules and argument names.",
    ),
    per_run: z.object({ median: z.number().nullable(), most: z.number().int() }),
    time_to_decide: TimeToDecide,
    pending: z.object({
      count: z.number().int(),
      median_age_ms: z.number().nullable(),
      oldest_age_ms: z.number().nullable(),
    }),
    saved: z.object({
      total: z.number().int().describe("Calls that nobody had to be asked about, thanks to what is listed."),
      by: z.array(
        z.object({
          kind: z.enum(["rule", "grant", "allowance", "reviewer", "policy"]),
          id: z.string().nullable(),
          calls: z.number().int(),
        }),
      ),
    }),
    rules: z
      .array(z.object({ id: z.string(), calls: z.number().int() }))
      .describe("How many calls each rule counted for, whatever came of them."),
    causes: z.array(Cause).describe("The largest first, at most 50."),
    reviewers: z.array(ReviewerFigures),
  })
  .meta({ id: "Fatigue" });
export type Fatigue = z.infer<typeof Fatigue>;
