import { ServerError } from "../problem.ts";
import { toPlain } from "../to-json.ts";
import type { RunnableGraph } from "./graphs.ts";

/** A graph as clients draw it. */
export interface DrawnGraph {
  nodes: { id: string | number; [member: string]: unknown }[];
  edges: { source: string | number; target: string | number; [member: string]: unknown }[];
}

/** What LangGraph's compiled graphs say of their form. */
interface FormedGraph {
  getGraphAsync(config: object): Promise<{ toJSON(): unknown }>;
  getSubgraphsAsync(namespace?: string, recurse?: boolean): AsyncIterable<[string, RunnableGraph]>;
}

/**
 * Draws a graph. `xray` draws the graphs in it, to this depth or all of them.
 *
 * @throws {ServerError} `not_supported` when LangGraph cannot draw it.
 */
export async function drawGraph(graph: RunnableGraph, xray: boolean | number): Promise<DrawnGraph> {
  return formed(async () => {
    const drawn = await (graph as RunnableGraph & FormedGraph).getGraphAsync({ xray });
    return toPlain(drawn.toJSON()) as DrawnGraph;
  });
}

/**
 * The graphs in a graph, by namespace.
 *
 * @throws {ServerError} `not_supported` when LangGraph cannot tell them.
 */
export async function subgraphsOf(
  graph: RunnableGraph,
  namespace: string | undefined,
  recurse: boolean,
): Promise<[string, RunnableGraph][]> {
  return formed(async () => {
    const found: [string, RunnableGraph][] = [];
    const all = (graph as RunnableGraph & FormedGraph).getSubgraphsAsync(namespace, recurse);
    for await (const one of all) found.push(one);
    return found;
  });
}

/** The form of a graph is its author's matter, and that it cannot be told is no fault of this server. */
async function formed<Form>(read: () => Promise<Form>): Promise<Form> {
  try {
    return await read();
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new ServerError("not_supported", `This graph cannot be drawn: ${why.slice(0, 200)}`);
  }
}
