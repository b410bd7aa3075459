import type { Approval } from "./approval.ts";
import { lastApproval, lastExecution, type Call } from "./call.ts";
import { clearance } from "./clearance.ts";
import type { DecidedBy, Decision } from "./decision.ts";
import type { ApprovalStatus, Authority, NewEvent } from "./event.ts";
import { remembered } from "./remember.ts";

type Payload<T extends NewEvent["type"]> = (NewEvent & { type: T })["data"];

/** What somebody wants of a call. */
export type Command =
  | { type: "start"; data: Payload<"tool_call_started"> }
  | { type: "ask"; data: Payload<"approval_requested"> }
  | { type: "show"; approval_id: string }
  | { type: "decide"; approval_id: string; decision: Decision; by: DecidedBy }
  /** Ends a question that nobody answered: its time is up, it was withdrawn, or nobody could answer. */
  | {
      type: "close";
      approval_id: string;
      status: "expired" | "cancelled" | "unavailable";
      by: DecidedBy;
      reason?: string;
    }
  | { type: "block"; approval_id: string; error: string; next_approval_id: string | null }
  | {
      type: "claim";
      tool: string;
      args: Payload<"execution_started">["args"];
      args_digest: string;
      authority: Authority;
      owner: string;
      is_safe: boolean;
    }
  | { type: "pause" }
  | { type: "resume"; owner: string }
  | { type: "finish"; state: "succeeded" | "failed" | "unknown"; error: string | null }
  | { type: "answer"; data: Omit<Payload<"tool_result">, "tool_call_id" | "tool"> };

/** Why a command changes nothing, or not what it wanted to. */
export type Refusal =
  | { code: "not_started" }
  | { code: "grant_spent" }
  | { code: "unknown_approval" }
  | { code: "already_decided"; approval: Approval }
  | { code: "expired"; approval: Approval }
  | { code: "cancelled"; approval: Approval }
  | { code: "invalid_decision"; message: string; path: string }
  | { code: "open_question"; approval: Approval }
  | { code: "not_cleared"; message: string }
  | { code: "already_claimed" }
  | { code: "not_running" }
  | { code: "already_answered" };

/** The events a command leads to. A late decision leads to an expiry and is refused all the same. */
export interface Verdicts {
  events: NewEvent[];
  refusal?: Refusal;
}

/**
 * What follows from a command, given all that happened to the call. Pure: the time is handed in.
 *
 * A command that asks for what already is leads to no event and no refusal, so that entering again is harmless.
 */
export function decide(call: Call | null, command: Command, at: string): Verdicts {
  if (command.type === "start") {
    return { events: call === null ? [{ type: "tool_call_started", data: command.data }] : [] };
  }
  if (call === null) return refuse({ code: "not_started" });
  switch (command.type) {
    case "ask":
      return ask(call, command.data);
    case "show":
      return show(call, command.approval_id);
    case "decide":
      return take(call, command, at);
    case "close":
      return close(call, command, at);
    case "block":
      return block(call, command);
    case "claim":
      return claim(call, command);
    case "pause":
      // Paused already: entering again says so again.
      if (lastExecution(call)?.state === "paused") return { events: [] };
      return onRunning(call, (attempt) => ({ type: "execution_paused", data: { ...names(call), attempt } }));
    case "resume":
      return resume(call, command.owner);
    case "finish": {
      const { state, error } = command;
      return onRunning(call, (attempt) => ({
        type: "execution_finished",
        data: { ...names(call), attempt, state, error },
      }));
    }
    case "answer":
      return answer(call, command.data);
  }
}

const STATUS = { approve: "approved", edit: "edited", reject: "rejected", respond: "responded" } as const;

function ask(call: Call, data: Payload<"approval_requested">): Verdicts {
  if (call.result !== null) return refuse({ code: "already_answered" });
  if (data.announced) return { events: call.announced ? [] : [{ type: "approval_requested", data }] };
  if (call.approvals.some((one) => one.approval_id === data.approval_id)) return { events: [] };
  const last = lastApproval(call);
  if (last?.status === "pending") return refuse({ code: "open_question", approval: last });
  return { events: [{ type: "approval_requested", data }] };
}

function show(call: Call, approval_id: string): Verdicts {
  const approval = find(call, approval_id);
  if (approval === undefined) return refuse({ code: "unknown_approval" });
  if (approval.status !== "pending" || approval.first_shown_at !== null) return { events: [] };
  return { events: [{ type: "approval_shown", data: { ...names(call), approval_id } }] };
}

function take(call: Call, command: Command & { type: "decide" }, at: string): Verdicts {
  const approval = find(call, command.approval_id);
  if (approval === undefined) return refuse({ code: "unknown_approval" });
  if (approval.status !== "pending") return refuse(standing(approval));
  if (isOver(approval, at)) {
    const events = [
      resolved(call, approval, "expired", { type: null, decided_by: { kind: "timeout" }, decided_at: at }),
    ];
    return { events, refusal: { code: "expired", approval } };
  }
  const fault = faultOf(approval, command.decision);
  if (fault) return refuse({ code: "invalid_decision", ...fault });
  const { remember, ...given } = { remember: undefined, ...command.decision };
  const decision = { ...given, decided_by: command.by, decided_at: at };
  if (remember === undefined) return { events: [resolved(call, approval, STATUS[decision.type], decision)] };
  const asked = {
    decision: { ...command.decision, remember },
    by: command.by,
    at,
  };
  const kept = remembered(call, approval, asked);
  if ("fault" in kept) return refuse({ code: "invalid_decision", ...kept.fault });
  const { made } = kept;
  return {
    events: [
      resolved(call, approval, STATUS[decision.type], { ...decision, grant_id: made.grant_id }),
      { type: "grant_made", data: { ...names(call), ...made } },
    ],
  };
}

function faultOf(approval: Approval, decision: Decision): { message: string; path: string } | undefined {
  const { allowed_decisions, require_reason } = approval;
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
  return undefined;
}

function close(call: Call, command: Command & { type: "close" }, at: string): Verdicts {
  const { approval_id, status, by, reason } = command;
  const approval = find(call, approval_id);
  if (approval === undefined) return refuse({ code: "unknown_approval" });
  if (approval.status !== "pending") return refuse(standing(approval));
  if (status === "expired" && !isOver(approval, at)) return { events: [] };
  const decision = { type: null, decided_by: by, decided_at: at, ...(reason !== undefined && { reason }) };
  return { events: [resolved(call, approval, status, decision)] };
}

function block(call: Call, command: Command & { type: "block" }): Verdicts {
  const { approval_id, error, next_approval_id } = command;
  const approval = find(call, approval_id);
  if (approval === undefined) return refuse({ code: "unknown_approval" });
  if (approval.execution.state === "blocked") return { events: [] };
  if (approval.execution.state !== "none") return refuse({ code: "already_claimed" });
  return {
    events: [{ type: "execution_blocked", data: { ...names(call), approval_id, error, next_approval_id } }],
  };
}

function claim(call: Call, command: Command & { type: "claim" }): Verdicts {
  if (call.result !== null) return refuse({ code: "already_answered" });
  const last = lastExecution(call);
  if (last?.state === "started" || last?.state === "paused") return refuse({ code: "already_claimed" });
  const fault = clearance(call, command);
  if (fault) return refuse({ code: "not_cleared", message: fault });
  const { tool, args, args_digest, authority, owner, is_safe } = command;
  const attempt = call.executions.length + 1;
  const data = { ...names(call), tool, attempt, args, args_digest, authority, owner, is_safe };
  return { events: [{ type: "execution_started", data }] };
}

function resume(call: Call, owner: string): Verdicts {
  const last = lastExecution(call);
  if (last?.state !== "paused")
    return refuse({ code: last?.state === "started" ? "already_claimed" : "not_running" });
  return { events: [{ type: "execution_resumed", data: { ...names(call), attempt: last.attempt, owner } }] };
}

function onRunning(call: Call, event: (attempt: number) => NewEvent): Verdicts {
  const last = lastExecution(call);
  if (last?.state !== "started" && last?.state !== "paused") return refuse({ code: "not_running" });
  return { events: [event(last.attempt)] };
}

function answer(call: Call, data: Omit<Payload<"tool_result">, "tool_call_id" | "tool">): Verdicts {
  if (call.result !== null) return refuse({ code: "already_answered" });
  return { events: [{ type: "tool_result", data: { ...names(call), ...data } }] };
}

/** Whether an approval's time is up at `at`. */
export function isOver(approval: Approval, at: string): boolean {
  return approval.expires_at !== null && at >= approval.expires_at;
}

function standing(approval: Approval): Refusal {
  if (approval.status === "expired" || approval.status === "cancelled")
    return { code: approval.status, approval };
  return { code: "already_decided", approval };
}

function resolved(
  call: Call,
  approval: Approval,
  status: Exclude<ApprovalStatus, "pending">,
  decision: Payload<"approval_resolved">["decision"],
): NewEvent {
  const { approval_id } = approval;
  return { type: "approval_resolved", data: { ...names(call), approval_id, status, decision } };
}

function find(call: Call, approval_id: string): Approval | undefined {
  return call.approvals.find((one) => one.approval_id === approval_id);
}

function names(call: Call): { tool_call_id: string; tool: string } {
  return { tool_call_id: call.tool_call_id, tool: call.tool };
}

function refuse(refusal: Refusal): Verdicts {
  return { events: [], refusal };
}
