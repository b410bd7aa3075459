import type { Approval } from "../ledger/index.ts";
import { DeskError } from "./error.ts";
import { readAnswer, type OpenQuestion } from "./read-answer.ts";

/** An interrupt as LangGraph lists it. */
export interface OpenInterrupt {
  id: string;
  value: unknown;
}

/** What an answer says to whom. */
export interface AddressedAnswer {
  /** Decisions for our questions, as they were sent, with the interrupt each is for. */
  decisions: { approval_id: string; interrupt_id: string; decision: unknown }[];
  /** Answers to questions that are not ours, such as a tool's own, by interrupt id. */
  others: Record<string, unknown>;
}

/**
 * Finds out which open questions an answer is for, ours and others.
 *
 * @throws {DeskError} when it names none of several, or one that is not open.
 */
export function addressAnswer(answer: unknown, open: readonly OpenInterrupt[]): AddressedAnswer {
  const ours = open.flatMap(questionOf);
  const foreign = open.filter((one) => questionOf(one).length === 0);
  const entries = isMap(answer) ? Object.entries(answer) : [];
  const forOthers = entries.filter(([id]) => foreign.some((one) => one.id === id));
  const [only] = foreign;
  if (only !== undefined && forOthers.length === 0) {
    if (ours.length === 0 && foreign.length === 1) return { decisions: [], others: { [only.id]: answer } };
    if (!entries.some(([id]) => isAddress(id, ours))) {
      throw new DeskError("ambiguous", "Several questions are open and the answer names none of them.", {
        pending: ours.map(({ approval }) => approval.approval_id),
      });
    }
  }
  const others = Object.fromEntries(forOthers);
  const rest = entries.filter((entry) => !forOthers.includes(entry));
  if (forOthers.length > 0 && rest.length === 0) return { decisions: [], others };
  // Beside an answer to another question each key has to be an address too: a stray one spoils the whole.
  const named = readAnswer(forOthers.length > 0 ? { decisions: Object.fromEntries(rest) } : answer, ours);
  const decisions = ours.flatMap(({ approval: { approval_id }, interrupt_id }) =>
    named.has(approval_id) ? [{ approval_id, interrupt_id, decision: named.get(approval_id) }] : [],
  );
  return { decisions, others };
}

/** Our question in an interrupt's value. Only its address is taken from there; the ledger knows the rest. */
export function questionOf({ id, value }: OpenInterrupt): OpenQuestion[] {
  const approval = (value as { approval?: Partial<Approval> } | null | undefined)?.approval;
  return typeof approval?.approval_id === "string" && approval.approval_id.startsWith("apr_")
    ? [{ approval: approval as Approval, interrupt_id: id }]
    : [];
}

function isAddress(id: string, ours: readonly OpenQuestion[]): boolean {
  const isOurs = ours.some(
    ({ approval, interrupt_id }) => id === approval.approval_id || id === interrupt_id,
  );
  return isOurs || id === "approval_id" || id === "decisions";
}

function isMap(answer: unknown): answer is Record<string, unknown> {
  return typeof answer === "object" && answer !== null && !Array.isArray(answer);
}
