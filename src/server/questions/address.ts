import { DeskError, type Given } from "../../desk/index.ts";
import { isObject } from "./question.ts";

/** A question that an answer may be for, one of ours or a graph's own. */
export interface OpenQuestion {
  interrupt_id: string;
  /** The approvals of its actions, in their order. */
  approval_ids: string[];
  /** One decision for each of them, from an answer in the form that the asker expects. @throws {DeskError} */
  decisionsIn: (answer: unknown) => unknown[];
}

/**
 * Finds out which approvals a client's answer decides: a map from interrupt id or approval id to an answer, some or
 * all, also inside `{ decisions }`; or one answer, when exactly one question is open.
 *
 * @throws {DeskError} `ambiguous` when several are open and none is named, `unknown_approval` when a name fits none
 *   of the open ones, `not_pending` when nothing is open, `invalid_decision` for an answer that cannot be read.
 */
export function addressAll(answer: unknown, open: readonly OpenQuestion[]): Given[] {
  const named = entriesOf(answer, open);
  const given = named ? named.flatMap(([id, one]) => addressed(id, one, open)) : bare(answer, open);
  const ids = given.map(({ approval_id }) => approval_id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw invalid(`The answer holds two decisions for ${twice}.`);
  return given;
}

/** Whether an answer names what it is for. */
export function isAddressed(answer: unknown): boolean {
  return entriesOf(answer, []) !== null;
}

function bare(answer: unknown, open: readonly OpenQuestion[]): Given[] {
  const [only, ...others] = open;
  // To one question anything may be an answer. To several, or to none, this is none.
  if (open.length !== 1 && isEmpty(answer)) throw invalid("The answer holds no decision.");
  if (only === undefined)
    throw new DeskError("not_pending", "Nothing is waiting for a decision on this thread.");
  if (others.length > 0) {
    const message =
      `${open.length} questions are open and the answer names none of them. Send a map from approval id or ` +
      'interrupt id to answer, or set "review.ask" to "one-by-one" for clients that can answer only one at a time.';
    throw new DeskError("ambiguous", message, { pending: idsOf(open) });
  }
  return decisionsFor(only, answer);
}

function addressed(id: string, answer: unknown, open: readonly OpenQuestion[]): Given[] {
  if (open.some(({ approval_ids }) => approval_ids.includes(id)))
    return [{ approval_id: id, decision: answer }];
  const question = open.find(({ interrupt_id }) => interrupt_id === id);
  if (question) return decisionsFor(question, answer);
  const message = `"${id.slice(0, 80)}" is not the id of a pending approval or interrupt.`;
  throw new DeskError("unknown_approval", message, { pending: idsOf(open) });
}

function decisionsFor({ approval_ids, decisionsIn }: OpenQuestion, answer: unknown): Given[] {
  const decisions = decisionsIn(answer);
  return approval_ids.map((approval_id, index) => ({ approval_id, decision: decisions[index] }));
}

/** The entries of a map by id. One id among its keys makes it a map, so that a stray key beside it is noticed. */
function entriesOf(answer: unknown, open: readonly OpenQuestion[]): [string, unknown][] | null {
  if (!isObject(answer)) return null;
  const { approval_id, decisions } = answer;
  if (typeof approval_id === "string" && approval_id.startsWith("apr_")) return [[approval_id, answer]];
  if (isObject(decisions) && Object.keys(answer).length === 1 && isMap(decisions, open))
    return Object.entries(decisions);
  return isMap(answer, open) ? Object.entries(answer) : null;
}

function isMap(value: Record<string, unknown>, open: readonly OpenQuestion[]): boolean {
  const keys = Object.keys(value);
  const isKnown = open.some(
    ({ interrupt_id, approval_ids }) =>
      keys.includes(interrupt_id) || approval_ids.some((id) => keys.includes(id)),
  );
  return isKnown || (!("type" in value) && keys.some((key) => /^apr_|^[0-9a-f]{32}$/.test(key)));
}

function isEmpty(answer: unknown): boolean {
  return answer === null || answer === undefined || (isObject(answer) && Object.keys(answer).length === 0);
}

function idsOf(open: readonly OpenQuestion[]): string[] {
  return open.flatMap(({ approval_ids }) => approval_ids);
}

function invalid(message: string): DeskError {
  const errors = [{ path: "", message: "expected one decision for each approval" }];
  return new DeskError("invalid_decision", `${message} Everything is as it was.`, { errors });
}
