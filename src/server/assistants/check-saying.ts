import type { Checkpointer } from "../database/checkpointer.ts";
import type { Graphs, RunnableGraph } from "../graphs/graphs.ts";
import { checkStorable } from "../runs/check-input.ts";
import type { Saying } from "./assistant.ts";
import { checkOverlay } from "./check-overlay.ts";

export interface CheckParts {
  graphs: Graphs;
  checkpointer: Checkpointer;
  /** Whether a gate of ours reads `policy` and `mode` from the graph's context. */
  readsPolicy: (graph: RunnableGraph) => boolean;
}

/**
 * Refuses an assistant whose every run would be refused, while the one who saves it can still mend it.
 *
 * @throws {PolicyError | ServerError} with the path.
 */
export async function checkSaying(
  { graphs, checkpointer, readsPolicy }: CheckParts,
  { graph_id, config, context, metadata }: Saying,
): Promise<void> {
  await checkStorable(checkpointer, context, "context");
  await checkStorable(checkpointer, config, "config");
  await checkStorable(checkpointer, metadata, "metadata");
  // A graph without our gate may mean something else by these keys.
  if (!readsPolicy(await graphs.get(graph_id))) return;
  const configurable = (config as { configurable?: Record<string, unknown> }).configurable;
  checkOverlay({ context, configurable }, "assistant's context");
}
