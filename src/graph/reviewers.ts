import type { Answer } from "./entry.ts";

/** Answers every question with approve. For evaluations and tests. */
export function approveAll(): Answer {
  return () => Promise.resolve({ type: "approve" });
}

/** Answers every question with reject. For evaluations and tests. */
export function rejectAll(message = "Rejected by rule of this evaluation."): Answer {
  return () => Promise.resolve({ type: "reject", message });
}

/**
 * Answers one question after the other with the given decisions, or what a function makes of the approval. When there
 * is none left it throws, which leaves the call `unavailable`.
 */
export function scriptedReviewer(decisions: readonly unknown[]): Answer {
  let next = 0;
  return async (approval, options) => {
    if (next >= decisions.length)
      throw new Error(`The script has ${decisions.length} decisions and was asked once more.`);
    const decision = decisions[next++];
    return typeof decision === "function" ? (decision as Answer)(approval, options) : decision;
  };
}
