import type { Answer } from "./entry.ts";
import type { Reviewer } from "./reviewer.ts";

/** Answers every question with approve, as the person in process or as a registered reviewer. For evaluations and tests. */
export function approveAll(): () => Promise<{ type: "approve" }> {
  return () => Promise.resolve({ type: "approve" });
}

/** Answers every question with reject, in either place. For evaluations and tests. */
export function rejectAll(
  message = "Rejected by rule of this evaluation.",
): () => Promise<{ type: "reject"; message: string }> {
  return () => Promise.resolve({ type: "reject", message });
}

/**
 * Answers one question after the other with the given decisions, or what a function makes of what it is asked about,
 * in either place. When there is none left it throws, which leaves the call `unavailable`, or to the next reviewer.
 */
export function scriptedReviewer(decisions: readonly unknown[]): Answer & Reviewer {
  let next = 0;
  const answer = async (about: unknown, options: unknown): Promise<unknown> => {
    if (next >= decisions.length)
      throw new Error(`The script has ${decisions.length} decisions and was asked once more.`);
    const decision = decisions[next++];
    return typeof decision === "function"
      ? (decision as (about: unknown, options: unknown) => unknown)(about, options)
      : decision;
  };
  // What is in the script is looked at where it arrives, as anybody's answer is.
  return answer as Answer & Reviewer;
}
