import { z } from "zod";
import { digest, type Approval, type Args } from "../ledger/index.ts";
import { DeskError } from "./error.ts";
import { wholeArgs } from "./masked-edit.ts";

const ShownArgs = z.union([z.string(), z.record(z.string(), z.unknown()), z.null()]);

const OldForm = z.object({
  type: z.enum(["accept", "edit", "response", "ignore"]),
  args: ShownArgs.optional(),
});

/** Agent Inbox takes LangChain's names where it is asked in LangChain's way, and leaves all else in its own form. */
const MixedForm = z.strictObject({ type: z.enum(["approve", "reject"]), args: ShownArgs });

/** An action by its name, as the inboxes and LangChain have it. */
export const NamedAction = z.object({
  name: z.string().optional(),
  action: z.string().optional(),
  args: z.record(z.string(), z.unknown()),
});
export type NamedAction = z.infer<typeof NamedAction>;

/**
 * What a decision in the form of the older inboxes says; `undefined` for one in another form.
 *
 * @throws {DeskError} `invalid_decision` for an approval that shows another call than the one that is asked about.
 */
export function fromInboxForm(given: Record<string, unknown>, approval: Approval): unknown {
  const read = OldForm.safeParse(given);
  const { type, args } = read.data ?? MixedForm.safeParse(given).data ?? {};
  switch (type) {
    case "accept":
    case "approve":
      if (args !== null && args !== undefined) assertShown(args, approval);
      return { type: "approve" };
    case "ignore":
      return { type: "reject" };
    case "reject":
      return { type: "reject", ...(typeof args === "string" && { message: args }) };
    case "response": {
      const message = typeof args === "string" ? args : "";
      const isAnswer = approval.allowed_decisions.every((one) => one === "respond");
      return { type: isAnswer ? "respond" : "reject", message };
    }
    case "edit": {
      const action = NamedAction.safeParse(args);
      // Our own edit has plain arguments; the older form has them inside an action.
      return action.success && action.data.action !== undefined ? editOf(action.data, undefined) : undefined;
    }
    case undefined:
      return undefined;
  }
}

export function editOf({ name, action, args }: NamedAction, reason: unknown): unknown {
  const tool = name ?? action;
  return { type: "edit", args, ...(tool !== undefined && { tool }), ...(reason !== undefined && { reason }) };
}

/** Inboxes send along what they show. What shows something else was meant for another call, or to change this one. */
function assertShown(shown: string | Record<string, unknown>, approval: Approval): void {
  if (typeof shown === "object" && shown["action"] === approval.tool && isShown(shown["args"], approval))
    return;
  const message =
    'This approves what is not asked about. Read the question again; to change its arguments, send "edit". ' +
    "The approval is still pending.";
  const errors = [{ path: "args", message: "expected the action and the arguments that are asked about" }];
  throw new DeskError("invalid_decision", message, { approval, errors });
}

function isShown(sent: unknown, approval: Approval): boolean {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return false;
  const { args: asked } = approval;
  const whole = wholeArgs(approval, sent as Args);
  if (!whole.ok) return false;
  const { args: shown } = whole;
  const names = Object.keys(shown);
  return (
    names.length === Object.keys(asked).length &&
    Object.entries(shown).every(([name, value]) => Object.hasOwn(asked, name) && isText(value, asked[name]))
  );
}

/** Whether a value is the one that is asked about, or its text: forms make texts of all that they show. */
function isText(shown: unknown, asked: unknown): boolean {
  const known = digest(asked);
  if (digest(shown) === known) return true;
  if (typeof shown !== "string" || typeof asked === "string") return false;
  try {
    return digest(JSON.parse(shown)) === known;
  } catch {
    return false;
  }
}
