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
        return (
          event.data.decision.decided_by.kind === "user" || event.data.decision.decided_by.kind === "reviewer"
        );
      case "execution_started":
        return !event.data.is_safe;
      case "execution_resumed":
      case "thread_erased":
      case "grant_revoked":
        return true;
      case "tool_call_started":
      case "approval_requested":
      case "approval_shown":
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
