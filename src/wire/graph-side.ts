import { createGraphRunStream, RunControl } from "@langchain/langgraph";
import { AsyncLocalStorage } from "node:async_hooks";
import { optionsOf } from "../graph/door.ts";
import type { GateOptions } from "../graph/gate-parts.ts";
import { closing, unanswered } from "../graph/history.ts";
import { announceHost, executionsOf, seal, type ApprovalGraph, type Host } from "../graph/index.ts";
import { masksIn } from "../graph/graph-masks.ts";
import { overlaysOf } from "../graph/overlays.ts";
import { readsPolicy } from "../graph/schemas-of.ts";
import { refusalText } from "../graph/texts.ts";
import type { Tool } from "../graph/tool-shelf.ts";
import { combine, definePolicy, modeOf } from "../policy/index.ts";
import type { ClosingPort, GraphPorts, Graphs, MasksPort, ModePort } from "../server/index.ts";

// Which server the graph that runs right now belongs to: there may be several in a process.
const hosts = new AsyncLocalStorage<Host>();

/** What the graph room lends to a server. Graphs find their host from now on. */
export function graphPortsOf(host: Host & { clock: () => number }): GraphPorts {
  announceHost(() => hosts.getStore());
  return {
    enter: (work, asked) => hosts.run(asked ? { ...host, ...asked } : host, work),
    seal: (approval_id) => seal(approval_id),
    newDrain: () => new RunControl(),
    translate: (pieces, graph) =>
      createGraphRunStream(
        pieces as Parameters<typeof createGraphRunStream>[0],
        graph.streamTransformers ?? [],
      ),
    executionsIdle: () => executionsOf(host.ledger).idle(),
  };
}

/** The mode of a graph's policy, with what a context tightens. A graph that is served no more says nothing. */
export function modesOf(graphs: Graphs): ModePort {
  return async (graph_id, context) => {
    const made = graphs.ids().includes(graph_id) ? madeWith(await graphs.get(graph_id)) : undefined;
    if (made === undefined) return null;
    return modeOf(combine(definePolicy(made.policy ?? { version: 1 }), ...overlaysOf(context)));
  };
}

/** What a graph's policy masks, and what a context adds to it. */
export function masksWith(graphs: Graphs): MasksPort {
  return async (graph_id, context) => {
    const graph = graph_id === null || !graphs.ids().includes(graph_id) ? {} : await graphs.get(graph_id);
    const added = readsPolicy(graph) ? overlaysOf(context) : [];
    return [...masksIn(graph), ...added.flatMap(({ mask }) => mask ?? [])];
  };
}

/** Says whether a graph's tools stand behind a gate of ours and nowhere else. */
export function gatesOf(graphs: Graphs): (graph_id: string) => Promise<boolean> {
  return async (graph_id) => madeWith(await graphs.get(graph_id)) !== undefined;
}

/** What the model is told of calls that are closed without their graph. */
export const closingWords: ClosingPort = {
  text: refusalText,
  messages: (messages, known) =>
    unanswered(messages)?.calls.map((call) => closing(call, known.get(call.id))) ?? [],
};

/** What an agent with a gate of ours was made with; other graphs of LangGraph have none that could be asked. */
export function madeWith(graph: unknown): (GateOptions & { tools: readonly Tool[] }) | undefined {
  // Its door may be of another copy of this package, so what it was made with is asked for, and not its class.
  const made = optionsOf(graph as ApprovalGraph) as (GateOptions & { tools?: readonly Tool[] }) | undefined;
  return made?.tools === undefined ? undefined : { ...made, tools: made.tools };
}
