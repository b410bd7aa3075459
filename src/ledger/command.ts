import type { Approval } from "./approval.ts";
import type { DecidedBy, Decision } from "./decision.ts";
import type { Friction } from "./friction.ts";
import type { Limit } from "./take.ts";
import type { Authority, NewEvent } from "./event.ts";

export type Payload<T extends NewEvent["type"]> = (NewEvent & { type: T })["data"];

/** What somebody wants of a call. */
export type Command =
  | { type: "start"; data: Payload<"tool_call_started"> }
  | { type: "ask"; data: Payload<"approval_requested"> }
  | { type: "show"; approval_id: string }
  /** What an automatic reviewer said. */
  | { type: "note"; data: Omit<Payload<"reviewer_answered">, "tool_call_id" | "tool"> }
  | { type: "decide"; approval_id: string; decision: Decision; by: DecidedBy; friction?: Friction }
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
  /** There is no room in this limit for what the question would take. */
  | { code: "no_room"; limit: Limit }
  | { code: "unknown_approval" }
  | { code: "already_decided"; approval: Approval }
  | { code: "expired"; approval: Approval }
  | { code: "cancelled"; approval: Approval }
  | { code: "invalid_decision"; message: string; path: string }
  /** This person, or whoever else it is, may not decide it so. */
  | { code: "forbidden"; message: string }
  /** This person has approved it before, and others have to. */
  | { code: "already_voted"; approval: Approval }
  | { code: "open_question"; approval: Approval }
  | { code: "not_cleared"; message: string }
  | { code: "already_claimed" }
  | { code: "not_running" }
  | { code: "already_answered" };

/**
 * The events a command leads to. There may be some beside a refusal: a late decision leads to an expiry, or lets the
 * question go to its next group, and is refused all the same.
 */
export interface Verdicts {
  events: NewEvent[];
  refusal?: Refusal;
}

export function refuse(refusal: Refusal): Verdicts {
  return { events: [], refusal };
}
