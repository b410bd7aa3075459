import type { StateSnapshot } from "@langchain/langgraph";
import type { Approval } from "../../ledger/index.ts";
import { openByTask, type OpenByTask } from "./open-questions.ts";
import { errorData } from "../to-json.ts";

/** A checkpoint of a thread as the LangGraph API shows it. Not yet plain JSON. */
export interface ThreadStateView {
  values: unknown;
  next: readonly string[];
  tasks: unknown[];
  metadata: unknown;
  created_at: string | null;
  checkpoint: unknown;
  parent_checkpoint: unknown;
  /** What is open, of all tasks. */
  interrupts: unknown[];
}

/** The state of a thread on which no graph ran. */
export const NO_STATE: ThreadStateView = {
  ...{ values: {}, next: [], tasks: [], metadata: {}, created_at: null },
  ...{ checkpoint: null, parent_checkpoint: null, interrupts: [] },
};

/** Shows a checkpoint; of its interrupts those that are really open. */
export function showState(state: StateSnapshot, pending: readonly Approval[]): ThreadStateView {
  const open = openByTask(state, pending);
  return {
    values: state.values,
    next: state.next,
    tasks: state.tasks.map((task) => showTask(task, open, pending)),
    metadata: state.metadata ?? null,
    created_at: state.createdAt ?? null,
    checkpoint: checkpointOf(state.config),
    parent_checkpoint: checkpointOf(state.parentConfig),
    interrupts: Object.values(open).flat(),
  };
}

function showTask(
  task: StateSnapshot["tasks"][number],
  open: OpenByTask,
  pending: readonly Approval[],
): Record<string, unknown> {
  const { id, name, path, state, result } = task;
  const isSnapshot = typeof state === "object" && "values" in state;
  const config = typeof state === "object" && !isSnapshot ? state : undefined;
  const { error } = task as { error?: unknown };
  return {
    ...{ id, name, path },
    error: error === undefined || error === null ? null : errorData(error).message,
    interrupts: open[id] ?? [],
    checkpoint: config?.configurable ?? null,
    state: isSnapshot ? showState(state, pending) : null,
    result: result ?? null,
  };
}

export function checkpointOf(config: { configurable?: Record<string, unknown> } | undefined): unknown {
  const { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map } = config?.configurable ?? {};
  if (checkpoint_id === undefined) return null;
  return {
    thread_id,
    checkpoint_id,
    checkpoint_ns: checkpoint_ns ?? "",
    checkpoint_map: checkpoint_map ?? null,
  };
}
