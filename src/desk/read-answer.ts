import type { Approval } from "../ledger/index.ts";
import { DeskError } from "./error.ts";

/** A pending approval and the interrupt that carries its question. */
export interface OpenQuestion {
  approval: Approval;
  interrupt_id: string;
}

/** Which decision is for which approval; the decisions themselves are not yet read. */
export type Addressed = Map<string, unknown>;

/**
 * Finds out which approvals an answer names: a map from interrupt id or approval id to a decision, some or all, also
 * inside `{ decisions }`; or, when exactly one question is open, one decision in whatever form.
 *
 * @throws {DeskError} `ambiguous` when several are open and none is named, `unknown_approval` when a name fits none
 *   of the open ones, `not_pending` when nothing is open, `invalid_decision` for an answer that holds nothing.
 */
export function readAnswer(raw: unknown, open: readonly OpenQuestion[]): Addressed {
  if (raw === null || raw === undefined) throw empty("The answer is empty.");
  if (isObject(raw)) {
    if (typeof raw["approval_id"] === "string") return named({ [raw["approval_id"]]: raw }, open);
    if (isObject(raw["decisions"]) && Object.keys(raw).length === 1) return named(raw["decisions"], open);
    if (isMap(raw)) return named(raw, open);
  }
  const [only, ...others] = open;
  if (only === undefined)
    throw new DeskError("not_pending", "Nothing is waiting for a decision on this thread.");
  if (others.length > 0) {
    throw new DeskError(
      "ambiguous",
      `${open.length} approvals are pending and the answer names none of them. Send a map from approval id to ` +
        `decision, or set "review.ask" to "one-by-one" for clients that can answer only one at a time.`,
      { pending: open.map(({ approval }) => approval.approval_id) },
    );
  }
  return new Map([[only.approval.approval_id, raw]]);
}

function named(map: Record<string, unknown>, open: readonly OpenQuestion[]): Addressed {
  const entries = Object.entries(map);
  if (entries.length === 0) throw empty("The map holds no decision.");
  const addressed: Addressed = new Map();
  for (const [id, decision] of entries) {
    const question = open.find(
      ({ approval, interrupt_id }) => id === approval.approval_id || id === interrupt_id,
    );
    if (question === undefined) {
      throw new DeskError(
        "unknown_approval",
        `"${id.slice(0, 80)}" is not the id of a pending approval or interrupt.`,
        {
          pending: open.map(({ approval }) => approval.approval_id),
        },
      );
    }
    const { approval_id } = question.approval;
    if (addressed.has(approval_id)) throw empty(`The map has two decisions for ${approval_id}.`);
    addressed.set(approval_id, decision);
  }
  return addressed;
}

/** A map is what has no `type` and holds at least one id, so that a stray key beside it is noticed. */
function isMap(raw: Record<string, unknown>): boolean {
  const keys = Object.keys(raw);
  return keys.length === 0 || (!("type" in raw) && keys.some((key) => /^apr_|^[0-9a-f]{32}$/.test(key)));
}

function empty(message: string): DeskError {
  return new DeskError("invalid_decision", `${message} Everything is as it was.`, {
    errors: [{ path: "", message: "expected a decision" }],
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
