import { checkpointOf } from "../threads/thread-state.ts";

type Json = Record<string, unknown>;

/**
 * LangGraph's `debug`, `checkpoints` and `tasks` payloads as its clients read them: checkpoints by their ids, and
 * nothing of the configs that LangGraph runs with.
 */
export function showDebug(mode: string, payload: unknown): unknown {
  if (!isJson(payload)) return payload;
  if (mode === "tasks") return showTask(payload);
  if (mode === "checkpoints") return "config" in payload ? showCheckpoint(payload) : payload;
  if (mode !== "debug" || !isJson(payload["payload"])) return payload;
  const inner = payload["payload"];
  return { ...payload, payload: payload["type"] === "checkpoint" ? showCheckpoint(inner) : showTask(inner) };
}

function showCheckpoint({ config, parentConfig, tasks, ...rest }: Json): Json {
  return {
    ...rest,
    checkpoint: checkpointOf(config as Parameters<typeof checkpointOf>[0]),
    parent_checkpoint: checkpointOf(parentConfig as Parameters<typeof checkpointOf>[0]),
    tasks: Array.isArray(tasks) ? tasks.map((task: unknown) => (isJson(task) ? showTask(task) : task)) : [],
  };
}

/** A task whose sub-graph has a state of its own names that state's place. */
function showTask({ state, ...task }: Json): Json {
  const configurable = isJson(state) ? state["configurable"] : undefined;
  if (!isJson(configurable)) return state === undefined ? task : { ...task, state };
  const { thread_id, checkpoint_ns } = configurable;
  return { ...task, checkpoint: { thread_id, checkpoint_ns } };
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
