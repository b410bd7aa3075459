import { z } from "zod";
import { ReviewRisk } from "../ledger/index.ts";
import { didYouMean, PolicyError, type Policy, type Tier } from "../policy/index.ts";

/** A call that would be put to a person, as an automatic reviewer gets it. What policy masks is masked here as well. */
export interface ReviewRequest {
  tool: string;
  args: Record<string, unknown>;
  /** What the call does, in words. */
  description: string | null;
  tier: Tier;
  /** The rules that count. */
  rules: string[];
  /** Why it would be asked about. */
  reason: string;
  /**
   * What the user said in this thread, oldest first: never what a tool gave or a model wrote. Empty in an agent that
   * another agent calls, since there a model writes what stands in the user's place.
   */
  said: string[];
  thread_id: string;
  tool_call_id: string;
  /** The approval that the answer will be part of. */
  approval_id: string;
}

/** What an automatic reviewer answers. `next`: ask the next one, and in the end a person. */
export const ReviewerAnswer = z.object({
  type: z.enum(["approve", "reject", "next"]),
  /** Why, for the ledger. */
  reason: z.string().max(10_000).optional(),
  /** With a rejection: what the model is told. Default: the reason. */
  message: z.string().max(10_000).optional(),
  risk: ReviewRisk.optional(),
});
export type ReviewerAnswer = z.infer<typeof ReviewerAnswer>;

/** Answers in a person's place, as far as the policy lets it. The signal says when nobody waits for it any more. */
export type Reviewer = (request: ReviewRequest, options: { signal: AbortSignal }) => Promise<ReviewerAnswer>;

/**
 * The reviewers that code has registered, by name.
 *
 * @throws {PolicyError} when the policy names one that is not among them.
 */
export function registeredFor(
  policy: Policy,
  reviewers: Readonly<Record<string, Reviewer>> = {},
): ReadonlyMap<string, Reviewer> {
  const names = Object.keys(reviewers);
  const problems = policy.reviewers.flatMap(({ use }, index) => {
    if (names.includes(use)) return [];
    const there = names.length === 0 ? "; none is registered" : `; registered are ${names.join(", ")}`;
    const hint = didYouMean(use, names) || there;
    return [{ path: `reviewers[${index}].use`, message: `"${use}" is no registered reviewer${hint}` }];
  });
  if (problems.length > 0) throw new PolicyError(problems);
  return new Map(Object.entries(reviewers));
}
