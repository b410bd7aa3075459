import type { LedgerEvent } from "../../ledger/index.ts";
import type { LogFields, LogLevel } from "./logger.ts";

/** A log line about an event of the ledger. */
export interface EventLine {
  level: Exclude<LogLevel, "error">;
  message: string;
  fields: LogFields;
}

/**
 * What the log says of an event; `null` for what is of no interest there. Arguments, results, reasons and messages are
 * what people and models wrote, and stay in the ledger.
 */
export function eventLine(event: LedgerEvent): EventLine | null {
  const { thread_id, run_id, call_id } = event;
  const place = { thread_id, run_id };
  switch (event.type) {
    case "run_started": {
      const { graph_id, cause } = event.data;
      return { level: "info", message: "run started", fields: { ...place, graph_id, cause } };
    }
    case "run_stopped": {
      const { status } = event.data;
      const level = status === "error" ? "warn" : "info";
      return { level, message: "run stopped", fields: { ...place, status } };
    }
    case "approval_requested": {
      const { approval_id, tool, tier, kind, announced } = event.data;
      const fields = { ...place, approval_id, tool, tier, kind };
      return announced
        ? { level: "debug", message: "call announced", fields }
        : { level: "info", message: "approval requested", fields };
    }
    case "vote_cast": {
      const { approval_id, tool, votes, quorum, decision } = event.data;
      const fields = { ...place, approval_id, tool, votes, quorum, ...deciderOf(decision.decided_by) };
      return { level: "info", message: "approval voted for", fields };
    }
    case "approval_warned": {
      const { approval_id, tool, expires_at } = event.data;
      return {
        level: "warn",
        message: "approval soon over",
        fields: { ...place, approval_id, tool, expires_at },
      };
    }
    case "approval_escalated": {
      const { approval_id, tool, group, expires_at, level } = event.data;
      const fields = { ...place, approval_id, tool, group, expires_at, escalated: level };
      return { level: "warn", message: "approval escalated", fields };
    }
    case "approval_resolved": {
      const { approval_id, tool, status, decision } = event.data;
      const { decided_by } = decision;
      const fields = { ...place, approval_id, tool, status, decided_by: decided_by.kind };
      return { level: "info", message: "approval resolved", fields: { ...fields, ...deciderOf(decided_by) } };
    }
    case "tool_result": {
      const { tool, ok, outcome } = event.data;
      const level = outcome === "unknown" ? "warn" : "info";
      return { level, message: "tool result", fields: { ...place, tool, call_id, ok, status: outcome } };
    }
    case "execution_finished": {
      const { tool, state } = event.data;
      if (state !== "unknown") return null;
      const fields = { ...place, tool, call_id, status: state };
      return { level: "warn", message: "execution left no result", fields };
    }
    case "execution_blocked": {
      const { tool, approval_id, next_approval_id } = event.data;
      const fields = { ...place, tool, approval_id, next_approval_id };
      return { level: "info", message: "execution blocked", fields };
    }
    default:
      return null;
  }
}

function deciderOf(by: { id?: string | undefined }): LogFields {
  return by.id === undefined ? {} : { decided_by_id: by.id };
}
