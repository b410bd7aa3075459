import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { ThreadRow } from "../database/tables.ts";
import type { RunnableGraph } from "../graphs/graphs.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";

/** Which graph a thread belongs to, and under which assistant. */
export interface GraphOfThread {
  graph_id: string;
  assistant_id: string;
  graph: RunnableGraph;
}

/**
 * The graph that ran on a thread; before any did, the one that its metadata names.
 *
 * @throws {ServerError} `invalid_request` for a thread without one.
 */
export async function graphOf({ ports, assistants }: ServerParts, row: ThreadRow): Promise<GraphOfThread> {
  const { graph_id, assistant_id } = row;
  if (graph_id !== null)
    return { graph_id, assistant_id: assistant_id ?? graph_id, graph: await ports.graphs.get(graph_id) };
  const metadata = JSON.parse(row.metadata_json) as Record<string, unknown>;
  const named = metadata["graph_id"] ?? metadata["assistant_id"];
  if (typeof named !== "string") {
    const message =
      'This thread has no graph yet, so it has no state to write. Run a graph on it, or name one as "graph_id" in its metadata.';
    throw new ServerError("invalid_request", message);
  }
  const found = await assistants.resolve(named);
  return {
    ...{ graph_id: found.graph_id, assistant_id: found.assistant_id },
    graph: await ports.graphs.get(found.graph_id),
  };
}

/** The graph with another checkpointer under it. */
export function withSaver(graph: RunnableGraph, saver: BaseCheckpointSaver): RunnableGraph {
  const copy = graph.withConfig({});
  copy.checkpointer = saver;
  return copy;
}
