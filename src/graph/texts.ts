import type { Approval, Outcome } from "../ledger/index.ts";

/** How a call ends in the gate. What is handed over is a question of a graph's own, and no call of the gate. */
export type GateOutcome = Exclude<Outcome, "handed_over">;

const REJECTED = {
  reviewer: "a reviewer rejected this call",
  policy: "policy rejected this call, and nobody was asked",
};
const NO_REPEAT = "Do not repeat this call.";
const NEXT = "Take another way, or ask the user.";

/** What the model is told of a call that did not run. One sentence each: nothing was done, why, what now. */
export function refusalText(
  outcome: Exclude<GateOutcome, "done" | "failed" | "responded">,
  why: string,
  by: "policy" | "reviewer" = "reviewer",
): string {
  const reason = why.trim() === "" ? "" : ` ${why.trim()}`;
  switch (outcome) {
    case "rejected":
      return `Nothing was done: ${REJECTED[by]}.${quoted("Reason", why)} ${NO_REPEAT} ${NEXT}`;
    case "expired":
      return `Nothing was done: nobody answered in time whether this call may run. Nobody refused it either. ${NO_REPEAT} ${NEXT}`;
    case "cancelled":
      return `Nothing was done: the question whether this call may run was withdrawn.${quoted("Reason", why)} ${NO_REPEAT} ${NEXT}`;
    case "unavailable":
      return `Nothing was done: this call needs an approval and nobody is there to give it.${reason} ${NO_REPEAT} ${NEXT}`;
    case "denied":
      return `Nothing was done: policy does not allow this call.${reason} ${NO_REPEAT} ${NEXT}`;
    case "invalid":
      return `Nothing was done: this call is not valid.${reason} Correct it, or take another way.`;
    case "unknown":
      return `It is not known whether this call took effect.${reason} ${NO_REPEAT} Find out what is true now before you go on.`;
  }
}

/** What the model is told beside the result of a call that a reviewer changed. */
export function editedText(tool: string, args: Record<string, unknown>): string {
  return `(A reviewer changed this call before it ran. It ran as ${tool} ${JSON.stringify(args)}, not as you wrote it.)`;
}

/** The text of a rejection is whatever the reviewer wrote; it is quoted so that it cannot pass for our own words. */
function quoted(label: string, text: string): string {
  return text.trim() === "" ? "" : ` ${label}: ${JSON.stringify(text.trim())}.`;
}

/** Why an approval ended as it did, in the words of whoever ended it. */
export function reasonOf({ decision, status }: Approval): string {
  if (decision === null) return "";
  if (status === "unavailable" || status === "expired") return decision.reason ?? "";
  return decision.message ?? decision.reason ?? "";
}

/** Why a call is not asked about again. */
export function repeatText(earlier: Approval): string {
  const why = reasonOf(earlier).trim();
  if (earlier.status === "expired")
    return "Nobody answered in time when this very call was asked about before.";
  return why === "" ? "This very call was rejected before." : `This very call was rejected before: ${why}`;
}
