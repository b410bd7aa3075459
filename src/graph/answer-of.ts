import { DeskError, readAnswer, readDecision } from "../desk/index.ts";
import type { Approval } from "../ledger/index.ts";

/** An answer as the door of an approval graph hands it on: addressed, so that no other question can take it. */
export interface SealedAnswer {
  countersign: 1;
  approval_id: string;
  /** The decision as it was sent; absent when the desk has it already and the task need only wake. */
  decision?: unknown;
}

export function isSealed(answer: unknown): answer is SealedAnswer {
  return typeof answer === "object" && answer !== null && (answer as Partial<SealedAnswer>).countersign === 1;
}

/** Seals a decision, or a mere wake-up, for one approval. */
export function seal(approval_id: string, decision?: unknown): SealedAnswer {
  return { countersign: 1, approval_id, ...(decision !== undefined && { decision }) };
}

/**
 * The decision in an answer that reached a task, for the approval that waits there.
 *
 * @param isCertain it can be meant for no other approval, even if it does not name this one.
 * @throws {DeskError} when it is for another approval, names none although it should, or is no valid decision.
 */
export function decisionFor(answer: unknown, approval: Approval, isCertain: boolean): unknown {
  const { approval_id, interrupt_id } = approval;
  if (isSealed(answer)) {
    if (answer.approval_id === approval_id && answer.decision !== undefined)
      return valid(answer.decision, approval);
    throw new DeskError("unknown_approval", "The answer was for another question.");
  }
  const named = readAnswer(answer, [{ approval, interrupt_id: interrupt_id ?? "" }]).get(approval_id);
  if (!isCertain && !namesApproval(answer, approval_id)) {
    const message =
      "The answer names no approval, and more than one was opened. Send a map from approval id to decision.";
    throw new DeskError("ambiguous", message, { pending: [approval_id] });
  }
  return valid(named, approval);
}

function valid(decision: unknown, approval: Approval): unknown {
  readDecision(decision, approval);
  return decision;
}

/** Whether an answer names an approval, and not merely the interrupt that carries its question. */
export function namesApproval(answer: unknown, approval_id: string): boolean {
  if (typeof answer !== "object" || answer === null) return false;
  const { approval_id: own, decisions } = answer as { approval_id?: unknown; decisions?: unknown };
  const isIn = (map: unknown): boolean =>
    typeof map === "object" && map !== null && Object.hasOwn(map, approval_id);
  return own === approval_id || isIn(answer) || isIn(decisions);
}
