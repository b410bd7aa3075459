import { z } from "zod";

/** Who may decide a question, how many of them must, and what becomes of it when they do not. */
export const People = z.object({
  quorum: z.number().int().positive().describe("How many different people must approve."),
  by: z
    .array(z.array(z.string()))
    .describe("The groups whose members may decide: one group of each list. Empty: everybody who reviews."),
  reviewers: z
    .array(z.string())
    .nullable()
    .describe("The ids of those who may decide, also after escalations. `null`: everybody who reviews."),
  separate_duties: z.boolean().describe("Whether whoever asked for the call may not decide it."),
  on_timeout: z.enum(["reject", "escalate", "approve"]),
  escalate: z
    .array(z.object({ group: z.string(), reviewers: z.array(z.string()) }))
    .describe("The groups that it goes to, one after the other, each with a new clock."),
  timeout_ms: z.number().int().positive().describe("How long each clock runs, where there may be several."),
});
export type People = z.infer<typeof People>;

const KEYS = Object.keys(People.shape);

/** Whether a payload says anything of people: most say nothing, and are what they were before there was this. */
export function hasPeople(data: object): boolean {
  return KEYS.some((key) => key in data && (data as Record<string, unknown>)[key] !== undefined);
}
