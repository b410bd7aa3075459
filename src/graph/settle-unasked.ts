import type { Allowed } from "../desk/index.ts";
import type { Command, Decision, Grant } from "../ledger/index.ts";
import { askCommand, type AskCommand, type Subject } from "./ask-command.ts";
import type { Entry } from "./entry.ts";

/** A question that nobody is asked: it is opened and settled in one step, so that both rows are there. */
export async function settleUnasked(
  entry: Entry,
  subject: Subject,
  before: Command[],
  status: "rejected" | "unavailable",
  reason: string,
  rule?: "budget" | "asksPerRun",
): Promise<void> {
  const ask = unasked(entry, subject);
  const { approval_id } = ask.data;
  const by = { kind: "policy" as const, ...(rule && { id: rule }) };
  const settle: Command =
    status === "unavailable"
      ? { type: "close", approval_id, status, by, reason }
      : { type: "decide", approval_id, decision: { type: "reject", message: reason }, by };
  await entry.change(...before, ask, settle);
}

/** A question that something remembered decides. Its uses are counted in the same step; resolves to whether it held. */
export async function settleByGrant(
  entry: Entry,
  subject: Subject,
  before: Command[],
  { grant_id, effect, covers, message }: Grant,
): Promise<boolean> {
  const ask = unasked(entry, subject);
  const { approval_id } = ask.data;
  const reason = `A decision was remembered for ${covers}.`;
  const decision: Decision =
    effect === "approve"
      ? { type: "approve", reason }
      : { type: "reject", reason, ...(message !== undefined && { message }) };
  const by = { kind: "grant" as const, id: grant_id };
  const commands: Command[] = [...before, ask, { type: "decide", approval_id, decision, by }];
  const { refusal } = await entry.changeWith({ commands, uses_grant: grant_id });
  return refusal === undefined;
}

/** A question that allowances settle. What they let through is taken in the same step; resolves to whether there was room. */
export async function settleByAllowance(
  entry: Entry,
  subject: Subject,
  before: Command[],
  { id, takes, limits, reason }: Allowed,
): Promise<boolean> {
  const ask = unasked(entry, { ...subject, asking: { takes } });
  const { approval_id } = ask.data;
  const by = { kind: "allowance" as const, id };
  const decision: Decision = { type: "approve", reason };
  const commands: Command[] = [...before, ask, { type: "decide", approval_id, decision, by }];
  const { refusal } = await entry.changeWith({ commands, limits });
  return refusal === undefined;
}

/** A question as it stands in the ledger when no person is asked. */
export function unasked(entry: Entry, subject: Subject): AskCommand {
  const { data } = askCommand(entry, subject);
  const { remember: _of, ...rest } = data;
  return { type: "ask", data: { ...rest, asked_by: "none", expires_at: null } };
}
