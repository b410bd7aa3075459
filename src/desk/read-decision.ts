import type { z } from "zod";
import { Decision, isDeeperThan, MAX_ARGS_DEPTH, type Approval } from "../ledger/index.ts";
import { assertDigest } from "./assert-digest.ts";
import { checkEdit } from "./edit-check.ts";
import { wholeArgs } from "./masked-edit.ts";
import { DeskError, type Fault } from "./error.ts";
import { editOf, fromInboxForm, NamedAction } from "./inbox-form.ts";

/**
 * Reads one decision in any form that known clients send, and checks it against the approval it is for.
 *
 * Besides {@link Decision} itself these are LangChain's `edit` with `editedAction` or `edited_action`, and the older
 * inbox forms: `accept`, `edit` with `{ action, args }`, `response`, `ignore`, also under LangChain's names.
 *
 * @throws {DeskError} `invalid_decision`, with what is wrong and where; `digest_changed`.
 */
export function readDecision(raw: unknown, approval: Approval): Decision {
  const decision = withWholeArgs(parse(raw, approval), approval);
  if (decision.type === "respond" && "value" in decision) checkValue(decision.value, approval);
  if (decision.type !== "edit") return decision;
  if (isDeeperThan(decision.args, MAX_ARGS_DEPTH)) {
    const message = `nested deeper than ${MAX_ARGS_DEPTH} levels`;
    throw invalid("The edited arguments cannot be used.", [{ path: "args", message }], approval);
  }
  if (decision.tool === undefined || decision.tool === approval.tool) {
    const checked = checkEdit(approval, decision.args);
    if (!checked.ok)
      throw invalid("The edited arguments do not fit the tool's schema.", checked.errors, approval);
    const { tool: _same, ...rest } = decision;
    return { ...rest, args: checked.args };
  }
  return decision;
}

function parse(raw: unknown, approval: Approval): Decision {
  const single = unwrapList(raw);
  if (typeof single !== "object" || single === null || Array.isArray(single)) {
    throw invalid(
      'A decision is an object with a "type".',
      [{ path: "", message: "expected an object" }],
      approval,
    );
  }
  const given = single as Record<string, unknown>;
  assertDigest(given, approval);
  const candidate = fromLangChain(given) ?? fromInboxForm(given, approval) ?? withText(withoutAddress(given));
  const read = Decision.safeParse(candidate);
  if (read.success) return read.data;
  throw invalid(describe(given), faultsOf(read.error), approval);
}

/** An edit is of what was shown, and the mask in it stands for what is stored. */
function withWholeArgs(decision: Decision, approval: Approval): Decision {
  if (decision.type !== "edit") return decision;
  const whole = wholeArgs(approval, decision.args);
  if (whole.ok) return { ...decision, args: whole.args };
  const message = "*** stands for a value that is not stored here; write the value out";
  const errors = whole.paths.map((path) => ({ path: `args.${path}`, message }));
  throw invalid("The edited arguments cannot be used.", errors, approval);
}

/** `[one]` and `{ decisions: [one] }` are the one in them. */
function unwrapList(raw: unknown): unknown {
  if (Array.isArray(raw) && raw.length === 1) return raw[0];
  if (typeof raw === "object" && raw !== null && !("type" in raw)) {
    const { decisions } = raw as { decisions?: unknown };
    if (Array.isArray(decisions) && decisions.length === 1) return decisions[0];
  }
  return raw;
}

/** The name of the approval and its digest may stand beside the decision: they say what the decision is for. */
function withoutAddress(given: Record<string, unknown>): Record<string, unknown> {
  const { approval_id: _address, args_digest: _shown, ...rest } = given;
  return rest;
}

/** An answer that is any JSON value has a text as well, for people to read. */
function withText(given: Record<string, unknown>): Record<string, unknown> {
  if (given["type"] !== "respond" || !("value" in given) || "message" in given) return given;
  const { value } = given;
  return { ...given, message: typeof value === "string" ? value : JSON.stringify(value) };
}

function checkValue(value: unknown, approval: Approval): void {
  const message =
    approval.kind !== "interrupt"
      ? 'only a graph\'s own question takes any value: send the result as "message"'
      : isDeeperThan(value, MAX_ARGS_DEPTH)
        ? `nested deeper than ${MAX_ARGS_DEPTH} levels`
        : undefined;
  if (message !== undefined)
    throw invalid("The answer cannot be used.", [{ path: "value", message }], approval);
}

function fromLangChain(given: Record<string, unknown>): unknown {
  const action = given["editedAction"] ?? given["edited_action"];
  if (given["type"] !== "edit" || action === undefined) return undefined;
  const read = NamedAction.safeParse(action);
  return read.success ? editOf(read.data, given["reason"]) : undefined;
}

function describe(given: Record<string, unknown>): string {
  const { type } = given;
  if (typeof type !== "string") return 'A decision needs a "type": "approve", "edit", "reject" or "respond".';
  return `This is no valid decision of type ${JSON.stringify(type).slice(0, 60)}.`;
}

function faultsOf(error: z.ZodError): Fault[] {
  return error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
}

function invalid(message: string, errors: Fault[], approval: Approval): DeskError {
  const where = errors[0] && errors[0].path !== "" ? ` "${errors[0].path}": ${errors[0].message}.` : "";
  return new DeskError("invalid_decision", `${message}${where} The approval is still pending.`, {
    approval,
    errors,
  });
}
