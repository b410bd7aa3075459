import { z } from "zod";

/** How much harm a reviewer expects of a call. */
export const ReviewRisk = z.enum(["low", "medium", "high", "critical"]);
export type ReviewRisk = z.infer<typeof ReviewRisk>;

/** What an automatic reviewer said of a call before a person was asked. */
export const ReviewerAnswered = z.object({
  tool_call_id: z.string(),
  tool: z.string(),
  /** Of the arguments that it was asked about. */
  args_digest: z.string(),
  /** The name it is registered under. */
  reviewer: z.string(),
  /** `null`: it gave none that can be understood, or none in time. */
  verdict: z.enum(["approve", "reject", "next"]).nullable(),
  reason: z.string().optional(),
  risk: ReviewRisk.optional(),
  took_ms: z.number().int().nonnegative(),
  /** Why its answer did not count. */
  error: z.string().optional(),
});
