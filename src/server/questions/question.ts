import { DeskError } from "../../desk/index.ts";
import type { Approval, Args, DecisionType } from "../../ledger/index.ts";

/** One thing that a question asks about. */
export interface Action {
  /** The name of the action, or of the node that asks. */
  tool: string;
  args: Args;
  description: string | null;
  allowed_decisions: DecisionType[];
  args_schema: Record<string, unknown> | null;
}

/**
 * A question that a graph asks by itself, with an `interrupt()` of its own, in one of the forms that are known. What is
 * asked, how it is answered over the LangGraph API, and what the graph is resumed with all follow from the form.
 */
export interface Question {
  actions: Action[];
  /**
   * One decision for each action, as the desk reads them, from an answer in the graph's own form.
   *
   * @throws {DeskError} `invalid_decision` for an answer that the graph could not read.
   */
  decisionsIn(answer: unknown): unknown[];
  /** Whether the graph can be told that a question was withdrawn: its form has a word for no. */
  takesNo: boolean;
  /** What the graph is resumed with when the approvals of all its actions are settled, in their order. */
  answerFrom(settled: readonly Approval[]): unknown;
}

/** The text with which a graph is told of a question that was withdrawn. */
export const WITHDRAWN = "The question was withdrawn. Nothing was decided.";

/** @throws {DeskError} `invalid_decision` unless there is one decision for each action. */
export function oneForEach(decisions: unknown, actions: readonly Action[]): unknown[] {
  const list = Array.isArray(decisions) ? (decisions as unknown[]) : [decisions];
  if (list.length === actions.length) return list;
  const message =
    `The question is about ${actions.length} action(s) and the answer holds ${list.length} decision(s). ` +
    "Send one for each, in their order. Everything is as it was.";
  const errors = [{ path: "decisions", message: `expected ${actions.length}` }];
  throw new DeskError("invalid_decision", message, { errors });
}

/** The list in `{ decisions: […] }`, or the answer itself. */
export function listIn(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return answer;
  return "decisions" in answer && !("type" in answer) ? answer.decisions : answer;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
