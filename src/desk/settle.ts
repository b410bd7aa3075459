import type { Approval, Call, Command, DecidedBy, Ledger, MasksOf, Refusal } from "../ledger/index.ts";
import { changeCall, planOf } from "./change.ts";
import { DeskError } from "./error.ts";
import { frictionFor } from "./friction.ts";
import { isoTime, targetOf } from "./ports.ts";
import { readDecision } from "./read-decision.ts";

/**
 * One decision and the approval it is for. `decision` may have any form that {@link readDecision} reads; with an
 * `args_digest` in it, it counts only where the approval has that very digest.
 */
export interface Given {
  approval_id: string;
  decision: unknown;
}

/**
 * Writes one decision. The first valid one wins.
 *
 * @throws {DeskError} what stands instead.
 */
export async function settle(
  ledger: Ledger,
  clock: () => number,
  given: Given,
  by: DecidedBy,
  masksOf?: MasksOf,
): Promise<Approval> {
  const { approval_id } = given;
  const call = await callFor(ledger, approval_id);
  const approval = approvalIn(call, approval_id);
  const at = isoTime(clock);
  const commands = [await watchedCommand(ledger, approval, given.decision, { by, at, masksOf })];
  const changed = await changeCall(ledger, targetOf(call), at, { commands, known: call });
  const after = approvalIn(changed.call ?? call, approval_id);
  if (changed.refusal) throw refused(changed.refusal, after);
  return after;
}

/** Writes several decisions, all or none. @throws {DeskError} for the first that cannot be taken. */
export async function settleAll(
  ledger: Ledger,
  clock: () => number,
  given: readonly Given[],
  by: DecidedBy,
  masksOf?: MasksOf,
): Promise<Approval[]> {
  const ids = given.map(({ approval_id }) => approval_id);
  if (new Set(ids).size < ids.length) {
    throw new DeskError("invalid_decision", "Two decisions name the same approval. Nothing was decided.");
  }
  for (;;) {
    const batches = [];
    for (const one of given) {
      const call = await callFor(ledger, one.approval_id);
      const approval = approvalIn(call, one.approval_id);
      const at = isoTime(clock);
      const commands = [await watchedCommand(ledger, approval, one.decision, { by, at, masksOf })];
      const plan = planOf(call, targetOf(call), at, { commands });
      if (plan.refused.refusal) throw refused(plan.refused.refusal, approval);
      if (plan.batch) batches.push(plan.batch);
    }
    const written = await ledger.appendAll(batches);
    if (!written.ok) continue;
    return written.calls.map((call, index) => approvalIn(call as Call, ids[index] as string));
  }
}

/** Withdraws a question: `cancelled`. @throws {DeskError} when it is settled already. */
export function withdraw(
  ledger: Ledger,
  clock: () => number,
  approval_id: string,
  by: DecidedBy,
  reason?: string,
): Promise<Approval> {
  const command: Command = {
    type: "close",
    approval_id,
    status: "cancelled",
    by,
    ...(reason !== undefined && { reason }),
  };
  return closeWith(ledger, clock, command);
}

/**
 * Does what the clock of a question calls for: warns, goes on to the next group, or ends it; leaves it as it is before
 * that. @throws {DeskError} when it is settled already.
 */
export function keepClock(ledger: Ledger, clock: () => number, approval_id: string): Promise<Approval> {
  return closeWith(ledger, clock, { type: "close", approval_id, status: "expired", by: { kind: "timeout" } });
}

async function closeWith(
  ledger: Ledger,
  clock: () => number,
  command: Command & { type: "close" },
): Promise<Approval> {
  const call = await callFor(ledger, command.approval_id);
  const changed = await changeCall(ledger, targetOf(call), isoTime(clock), {
    commands: [command],
    known: call,
  });
  const approval = approvalIn(changed.call ?? call, command.approval_id);
  if (changed.refusal) throw refused(changed.refusal, approval);
  return approval;
}

/** Whoever decides has the question before the eyes; where nobody said so before, they have from now on. */
async function showTo(ledger: Ledger, { approval_id, first_shown_at }: Approval, at: string): Promise<void> {
  if (first_shown_at !== null) return;
  const call = await callFor(ledger, approval_id);
  await changeCall(ledger, targetOf(call), at, { commands: [{ type: "show", approval_id }], known: call });
}

/**
 * A decision as a command. Where somebody shows signs of not reading, it comes with what they get for it.
 */
async function watchedCommand(
  ledger: Ledger,
  approval: Approval,
  raw: unknown,
  { by, at, masksOf }: { by: DecidedBy; at: string; masksOf: MasksOf | undefined },
): Promise<Command> {
  const command = commandFor(approval, raw, by, masksOf);
  const friction = await frictionFor(ledger, approval, by, at);
  if (friction === null || command.type !== "decide") return command;
  await showTo(ledger, approval, at);
  return { ...command, friction };
}

function commandFor(approval: Approval, raw: unknown, by: DecidedBy, masksOf?: MasksOf): Command {
  const { approval_id } = approval;
  // What is settled is refused as such, however the decision looks.
  if (approval.status !== "pending") {
    return { type: "decide", approval_id, decision: { type: "reject" }, by };
  }
  return { type: "decide", approval_id, decision: readDecision(raw, underMasks(approval, masksOf)), by };
}

/** The approval as it was shown when it was: under the masks of its call and those that its policy has got since. */
function underMasks(approval: Approval, masksOf?: MasksOf): Approval {
  const more = masksOf?.(approval.graph_id) ?? [];
  return more.length === 0 ? approval : { ...approval, mask: [...new Set([...approval.mask, ...more])] };
}

export async function callFor(ledger: Ledger, approval_id: string): Promise<Call> {
  const call = await ledger.callOf(approval_id);
  if (call !== null) return call;
  if (await ledger.isErased(approval_id))
    throw new DeskError("erased", "This approval was erased together with its thread.");
  throw new DeskError("unknown_approval", `There is no approval "${approval_id.slice(0, 80)}".`);
}

export function approvalIn(call: Call, approval_id: string): Approval {
  const approval = call.approvals.find((one) => one.approval_id === approval_id);
  if (approval === undefined)
    throw new DeskError("unknown_approval", `There is no approval "${approval_id}".`);
  return approval;
}

/** The error that tells a client why its decision was not taken and what stands instead. */
export function refused(refusal: Refusal, approval: Approval): DeskError {
  switch (refusal.code) {
    case "already_decided":
      return new DeskError("already_decided", `This approval is ${approval.status} already. That stands.`, {
        approval,
      });
    case "expired":
      return new DeskError("expired", `The time of this approval was up at ${approval.expires_at}.`, {
        approval,
      });
    case "cancelled":
      return new DeskError("cancelled", "This approval was withdrawn.", { approval });
    case "invalid_decision": {
      const { path, message } = refusal;
      const text = `${message} The approval is still pending.`;
      return new DeskError("invalid_decision", text, { approval, errors: [{ path, message }] });
    }
    case "forbidden":
      return new DeskError("forbidden", refusal.message, { approval });
    case "already_voted": {
      const { votes, quorum } = approval;
      const message = `You have approved this already. ${votes.length} of ${quorum} approvals are there; the rest is up to others.`;
      return new DeskError("already_voted", message, { approval });
    }
    case "unknown_approval":
    case "not_started":
      return new DeskError("unknown_approval", `There is no approval "${approval.approval_id}".`);
    case "open_question":
    case "not_cleared":
    case "grant_spent":
    case "no_room":
    case "already_claimed":
    case "not_running":
    case "already_answered":
      return new DeskError("not_pending", `This call cannot be decided now (${refusal.code}).`, { approval });
  }
}

/** Withdraws every pending question that matches. Those settled meanwhile stay as they are. Returns how many there were. */
export async function withdrawAll(
  ledger: Ledger,
  clock: () => number,
  query: { thread_id: string; run_id?: string },
  reason: string,
  by: DecidedBy = { kind: "system" },
): Promise<number> {
  const { approvals } = await ledger.approvals({ ...query, status: "pending", limit: 1_000 });
  const ended = await Promise.all(
    approvals.map(({ approval_id }) =>
      withdraw(ledger, clock, approval_id, by, reason).then(
        () => 1,
        () => 0,
      ),
    ),
  );
  return ended.reduce((sum: number, one) => sum + one, 0);
}
