import type { RecordedDecision } from "./decision.ts";
import type { NewEvent } from "./event.ts";

/**
 * Whether a commit waits until the disk has it, and with it all that was committed before: when somebody is about to
 * be told that their decision was taken, or a tool is about to start that must not start twice.
 *
 * Everything else outlives the process anyway. A loss of power can take the newest of it, never something before it.
 */
export function isForced(events: readonly NewEvent[]): boolean {
  return events.some((event) => {
    switch (event.type) {
      case "approval_resolved":
        return isOfSomebody(event.data.decision);
      case "execution_started":
        return !event.data.is_safe;
      case "vote_cast":
      case "execution_resumed":
      case "thread_erased":
      case "grant_revoked":
      case "mode_set":
        return true;
      case "tool_call_started":
      case "approval_requested":
      case "approval_shown":
      case "approval_escalated":
      case "approval_warned":
      case "reviewer_answered":
      case "execution_paused":
      case "execution_finished":
      case "execution_blocked":
      case "tool_result":
      case "run_started":
      case "run_stopped":
      case "grant_made":
        return false;
    }
  });
}

/** Whether somebody is told that it was taken, or a call runs since nobody said anything. */
function isOfSomebody({ type, decided_by: { kind } }: RecordedDecision): boolean {
  return kind === "user" || kind === "reviewer" || (kind === "timeout" && type === "approve");
}
