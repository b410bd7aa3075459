import type { Mode } from "../policy/index.ts";
import type { NewEvent } from "./event.ts";

/** What holds on a thread beside its calls. Follows from its events, and is kept so that it is read at once. */
export interface ThreadState {
  /** The thread's own mode; `null` when nobody has set one. */
  mode: Mode | null;
  /** The `seq` of the event that set it; 0 for none. */
  mode_seq: number;
  /** How many calls automatic reviewers have rejected since a person decided something. */
  rejected: number;
  /** How many of these came last, with no call among them that an automatic reviewer approved. */
  rejected_in_row: number;
}

export const NEW_THREAD: ThreadState = { mode: null, mode_seq: 0, rejected: 0, rejected_in_row: 0 };

/** Whether an event may change what holds on its thread. */
export function concernsThread({ type, data }: NewEvent): boolean {
  if (type === "mode_set") return true;
  if (type !== "approval_resolved" || data.decision.type === null) return false;
  const { kind } = data.decision.decided_by;
  return kind === "user" || kind === "reviewer";
}

/** What holds on a thread after one more of its events. */
export function evolveThread(state: ThreadState, event: NewEvent & { seq: number }): ThreadState {
  if (!concernsThread(event)) return state;
  if (event.type === "mode_set") return { ...state, mode: event.data.mode, mode_seq: event.seq };
  if (event.type !== "approval_resolved") return state;
  const { type, decided_by } = event.data.decision;
  if (decided_by.kind === "user") return { ...state, rejected: 0, rejected_in_row: 0 };
  if (type !== "reject") return { ...state, rejected_in_row: 0 };
  return { ...state, rejected: state.rejected + 1, rejected_in_row: state.rejected_in_row + 1 };
}
