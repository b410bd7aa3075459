import type { Graphs } from "../graphs/graphs.ts";
import type { RunPorts } from "./run-ports.ts";

/** The graphs of which a process has said that it leaves their runs alone. */
const said = new WeakMap<Graphs, Set<string>>();

/**
 * Whether a run or a thread is of a graph that this process does not serve, as while a new version of the server takes
 * the place of an old one. It can read no state of such a thread, so it neither goes on with it nor ends anything there:
 * that is for a process that serves the graph. Said once for each graph.
 */
export function isLeftAlone(
  { graphs, log }: Pick<RunPorts, "graphs" | "log">,
  { graph_id, thread_id }: { graph_id: string | null; thread_id: string },
): boolean {
  if (graph_id === null || graphs.serves(graph_id)) return false;
  const known = said.get(graphs) ?? new Set();
  if (!known.has(graph_id))
    log.info("left alone: its graph is not served here", {
      ...{ graph_id, thread_id },
      why: "a server that serves the graph goes on with its threads",
    });
  said.set(graphs, known.add(graph_id));
  return true;
}
