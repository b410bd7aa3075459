import type { Approval } from "./approval.ts";
import { approvalIn, namesOf, type Call } from "./call.ts";
import { escalatedTo, isOver, isWarningDue, nextEscalation } from "./clock.ts";
import { refuse, type Command, type Payload, type Refusal, type Verdicts } from "./command.ts";
import type { Decision } from "./decision.ts";
import type { NewEvent } from "./event.ts";
import type { Friction } from "./friction.ts";
import { whyNot } from "./may-decide.ts";
import { remembered } from "./remember.ts";

const STATUS = { approve: "approved", edit: "edited", reject: "rejected", respond: "responded" } as const;

type Decide = Command & { type: "decide" };

/** Takes a decision. One that comes late meets the question as the clock has left it: ended, or gone on to others. */
export function take(call: Call, command: Decide, at: string): Verdicts {
  const approval = approvalIn(call, command.approval_id);
  if (approval === undefined) return refuse({ code: "unknown_approval" });
  if (approval.status !== "pending") return refuse(standing(approval));
  const { events, now } = isOver(approval, at) ? lapse(call, approval, at) : { events: [], now: approval };
  if (now.status !== "pending") return { events, refusal: standing(now) };
  const taken = judge(call, now, command, at);
  return { ...taken, events: [...events, ...taken.events] };
}

/** Ends a question that nobody answered; or, when it is to end with its time, does what that time calls for now. */
export function close(call: Call, command: Command & { type: "close" }, at: string): Verdicts {
  const { approval_id, status, by, reason } = command;
  const approval = approvalIn(call, approval_id);
  if (approval === undefined) return refuse({ code: "unknown_approval" });
  if (approval.status !== "pending") return refuse(standing(approval));
  if (status === "expired") return { events: keepClock(call, approval, at) };
  const decision = { type: null, decided_by: by, decided_at: at, ...(reason !== undefined && { reason }) };
  return { events: [resolved(call, approval, status, decision)] };
}

function keepClock(call: Call, approval: Approval, at: string): NewEvent[] {
  if (isOver(approval, at)) return lapse(call, approval, at).events;
  const { approval_id, expires_at } = approval;
  if (!isWarningDue(approval, at) || expires_at === null) return [];
  return [{ type: "approval_warned", data: { ...namesOf(call), approval_id, expires_at } }];
}

/** What silence leads to: the next group, a consent that the policy wants in this case, or the end. */
function lapse(call: Call, approval: Approval, at: string): { events: NewEvent[]; now: Approval } {
  const next = nextEscalation(approval, at);
  if (next !== null) {
    const event = { type: "approval_escalated" as const, data: { ...namesOf(call), ...next } };
    return { events: [event], now: escalatedTo(approval, next) };
  }
  // Where several must approve, or only some may, silence is nobody's word.
  const isConsent = approval.on_timeout === "approve" && approval.quorum === 1 && approval.reviewers === null;
  const decision = {
    type: isConsent ? ("approve" as const) : null,
    decided_by: { kind: "timeout" as const },
    decided_at: at,
  };
  const status = isConsent ? "approved" : "expired";
  return { events: [resolved(call, approval, status, decision)], now: { ...approval, status, decision } };
}

/** What a decision does to a question whose time is not up. */
function judge(call: Call, asked: Approval, command: Decide, at: string): Verdicts {
  const { decision: given, by, friction } = command;
  const approval = friction === undefined ? asked : under(asked, friction, given.type);
  const forbidden = whyNot(approval, by, given.type);
  if (forbidden !== undefined) return refuse({ code: "forbidden", message: forbidden });
  const fault = faultOf(approval, given) ?? hurried(friction, given, at);
  if (fault) return refuse({ code: "invalid_decision", path: fault.path, message: because(fault, friction) });
  const { remember, ...rest } = { remember: undefined, ...given };
  const decision = { ...rest, decided_by: by, decided_at: at, ...(friction && { friction: friction.why }) };
  if (approval.quorum > 1 && decision.type === "approve") return vote(call, approval, decision);
  if (remember === undefined) return { events: [resolved(call, approval, STATUS[decision.type], decision)] };
  const kept = remembered(call, approval, { decision: { ...given, remember }, by, at });
  if ("fault" in kept) return refuse({ code: "invalid_decision", ...kept.fault });
  const { made } = kept;
  return {
    events: [
      resolved(call, approval, STATUS[decision.type], { ...decision, grant_id: made.grant_id }),
      { type: "grant_made", data: { ...namesOf(call), ...made } },
    ],
  };
}

/** A question as it is for somebody who shows signs of not reading. To reject is always as easy as before. */
function under(approval: Approval, friction: Friction, type: Decision["type"]): Approval {
  if (type !== "approve" && type !== "edit") return approval;
  return {
    ...approval,
    quorum: friction.second_reviewer ? Math.max(2, approval.quorum) : approval.quorum,
    require_reason: friction.require_reason ? [...approval.require_reason, type] : approval.require_reason,
  };
}

/** Why a decision comes too soon from somebody who shows signs of not reading. */
function hurried(
  friction: Friction | undefined,
  { type }: Decision,
  at: string,
): { message: string; path: string } | undefined {
  if (friction === undefined || (type !== "approve" && type !== "edit")) return undefined;
  const { decide_after } = friction;
  if (decide_after !== null && decide_after <= at) return undefined;
  const when = decide_after === null ? "a while after the question was shown" : `from ${decide_after} on`;
  return { path: "", message: `Read it again: your "${type}" is taken ${when}.` };
}

function because({ message }: { message: string }, friction: Friction | undefined): string {
  return friction === undefined ? message : `${message} Why: ${friction.why}.`;
}

/** One person's word of several. The last one that is missing approves the call. */
function vote(call: Call, approval: Approval, decision: Payload<"vote_cast">["decision"]): Verdicts {
  const { approval_id, votes, quorum, args_digest } = approval;
  if (votes.some(({ decided_by }) => decided_by.id === decision.decided_by.id))
    return refuse({ code: "already_voted", approval });
  const count = votes.length + 1;
  if (count >= quorum) return { events: [resolved(call, approval, "approved", decision)] };
  const data = { ...namesOf(call), approval_id, args_digest, decision, votes: count, quorum };
  return { events: [{ type: "vote_cast", data }] };
}

function faultOf(approval: Approval, decision: Decision): { message: string; path: string } | undefined {
  const { allowed_decisions, require_reason, quorum } = approval;
  if (!allowed_decisions.includes(decision.type)) {
    const allowed = allowed_decisions.map((type) => `"${type}"`).join(", ");
    return {
      path: "type",
      message: `"${decision.type}" is not allowed for this approval. Allowed: ${allowed}.`,
    };
  }
  // A rejection's message is the reason that the model gets, so it counts as one.
  const reason = decision.reason ?? (decision.type === "reject" ? decision.message : undefined);
  if (require_reason.includes(decision.type) && !reason?.trim()) {
    return { path: "reason", message: `"${decision.type}" needs a "reason" for this approval.` };
  }
  if (quorum > 1 && decision.type === "approve" && decision.remember !== undefined)
    return {
      path: "remember",
      message: "A vote is not remembered: it is one of several for this very call.",
    };
  return undefined;
}

function standing(approval: Approval): Refusal {
  if (approval.status === "expired" || approval.status === "cancelled")
    return { code: approval.status, approval };
  return { code: "already_decided", approval };
}

function resolved(
  call: Call,
  { approval_id }: Approval,
  status: Payload<"approval_resolved">["status"],
  decision: Payload<"approval_resolved">["decision"],
): NewEvent {
  return { type: "approval_resolved", data: { ...namesOf(call), approval_id, status, decision } };
}
