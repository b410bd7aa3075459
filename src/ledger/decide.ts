import { approvalIn, lastApproval, lastExecution, namesOf, type Call } from "./call.ts";
import { clearance } from "./clearance.ts";
import { refuse, type Command, type Payload, type Verdicts } from "./command.ts";
import type { NewEvent } from "./event.ts";
import { close, take } from "./settle.ts";

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
    case "note":
      return { events: [{ type: "reviewer_answered", data: { ...namesOf(call), ...command.data } }] };
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
      return onRunning(call, (attempt) => ({
        type: "execution_paused",
        data: { ...namesOf(call), attempt },
      }));
    case "resume":
      return resume(call, command.owner);
    case "finish": {
      const { state, error } = command;
      return onRunning(call, (attempt) => ({
        type: "execution_finished",
        data: { ...namesOf(call), attempt, state, error },
      }));
    }
    case "answer":
      return answer(call, command.data);
  }
}

function ask(call: Call, data: Payload<"approval_requested">): Verdicts {
  if (call.result !== null) return refuse({ code: "already_answered" });
  if (data.announced) return { events: call.announced ? [] : [{ type: "approval_requested", data }] };
  if (call.approvals.some((one) => one.approval_id === data.approval_id)) return { events: [] };
  const last = lastApproval(call);
  if (last?.status === "pending") return refuse({ code: "open_question", approval: last });
  return { events: [{ type: "approval_requested", data }] };
}

function show(call: Call, approval_id: string): Verdicts {
  const approval = approvalIn(call, approval_id);
  if (approval === undefined) return refuse({ code: "unknown_approval" });
  if (approval.status !== "pending" || approval.first_shown_at !== null) return { events: [] };
  return { events: [{ type: "approval_shown", data: { ...namesOf(call), approval_id } }] };
}

function block(call: Call, command: Command & { type: "block" }): Verdicts {
  const { approval_id, error, next_approval_id } = command;
  const approval = approvalIn(call, approval_id);
  if (approval === undefined) return refuse({ code: "unknown_approval" });
  if (approval.execution.state === "blocked") return { events: [] };
  if (approval.execution.state !== "none") return refuse({ code: "already_claimed" });
  return {
    events: [{ type: "execution_blocked", data: { ...namesOf(call), approval_id, error, next_approval_id } }],
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
  const data = { ...namesOf(call), tool, attempt, args, args_digest, authority, owner, is_safe };
  return { events: [{ type: "execution_started", data }] };
}

function resume(call: Call, owner: string): Verdicts {
  const last = lastExecution(call);
  if (last?.state !== "paused")
    return refuse({ code: last?.state === "started" ? "already_claimed" : "not_running" });
  return {
    events: [{ type: "execution_resumed", data: { ...namesOf(call), attempt: last.attempt, owner } }],
  };
}

function onRunning(call: Call, event: (attempt: number) => NewEvent): Verdicts {
  const last = lastExecution(call);
  if (last?.state !== "started" && last?.state !== "paused") return refuse({ code: "not_running" });
  return { events: [event(last.attempt)] };
}

function answer(call: Call, data: Omit<Payload<"tool_result">, "tool_call_id" | "tool">): Verdicts {
  if (call.result !== null) return refuse({ code: "already_answered" });
  return { events: [{ type: "tool_result", data: { ...namesOf(call), ...data } }] };
}
