import { ToolMessage } from "@langchain/core/messages";
import {
  lastApproval,
  lastExecution,
  type Approval,
  type Call,
  type Command,
  type Outcome,
} from "../ledger/index.ts";
import type { Entry } from "./entry.ts";
import { reasonOf, refusalText, type GateOutcome } from "./texts.ts";

/** What stands in `artifact` of every tool message that a gate writes. */
export interface CallArtifact {
  outcome: Outcome;
  approval_id: string | null;
  execution: "none" | "started" | "paused" | "succeeded" | "failed" | "unknown" | "blocked";
  /** What of the policy rejected the call, where it was no rule, so that a run can be ended for it. */
  rule?: string;
}

/**
 * Answers the model for a call that did not run (or whose effect is not known), in the ledger and as a message.
 *
 * @param why the reason in words, or the approval that ended the call.
 */
export async function answered(
  entry: Entry,
  before: Command[],
  outcome: GateOutcome,
  why: string | Approval,
): Promise<ToolMessage> {
  const reason = typeof why === "string" ? why : reasonOf(why);
  const isDone = outcome === "responded" || outcome === "done";
  const text = isDone
    ? reason
    : outcome === "failed"
      ? `Error: ${reason}`
      : refusalText(outcome, reason, byOf(why));
  const denied = outcome === "denied" || outcome === "rejected" ? { denied: true as const } : {};
  const data = { ok: isDone, outcome, ...(isDone ? { result: text } : { error: text }), ...denied };
  await entry.change(...before, { type: "answer", data });
  // Somebody may have answered the call first; what stands is what the model is told.
  return recordedMessage(entry, entry.call?.result ?? { ok: isDone, outcome, text });
}

/** The tool message for a result that stands in the ledger. */
export function recordedMessage(entry: Entry, result: NonNullable<Call["result"]>): ToolMessage {
  return new ToolMessage({
    content: result.text,
    name: entry.input.call.name,
    tool_call_id: entry.input.call.id,
    status: result.ok ? "success" : "error",
    artifact: artifactOf(entry.call, result.outcome),
  });
}

function byOf(why: string | Approval): "policy" | "reviewer" {
  return typeof why !== "string" && why.decision?.decided_by.kind === "policy" ? "policy" : "reviewer";
}

export function artifactOf(call: Call | null, outcome: Outcome): CallArtifact {
  const approval = call ? lastApproval(call) : undefined;
  const execution = call ? lastExecution(call) : undefined;
  const by = approval?.decision?.decided_by;
  return {
    outcome,
    approval_id: approval?.approval_id ?? null,
    execution: execution?.state ?? approval?.execution.state ?? "none",
    ...(by?.kind === "policy" && by.id !== undefined && { rule: by.id }),
  };
}
