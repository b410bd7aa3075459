import type { StateSnapshot } from "@langchain/langgraph";
import type { RunnableGraph } from "../graphs/graphs.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { Draft } from "./draft.ts";
import { withSaver } from "./thread-graph.ts";

/** One update of a state, in the name of a node. */
export interface StateUpdate {
  values: unknown;
  as_node?: string | undefined;
}

/** What a thread's state would be. Nothing is stored before `commit`. */
export interface DraftedWrite {
  state: StateSnapshot;
  commit(): Promise<void>;
}

/** Where a write begins: at the newest checkpoint, or at another one. */
export interface WritePlace {
  thread_id: string;
  checkpoint_id?: string | undefined;
}

/** Names that LangGraph takes beside those of nodes. */
const SPECIAL = new Set(["__end__", "__input__", "__copy__"]);

/**
 * Works out what updates make of a thread's state, as LangGraph does it. The graph's edges run, its nodes do not.
 *
 * @param prepare writes to the draft first.
 * @throws {ServerError} `invalid_request` for what LangGraph does not take, or could not read again.
 */
export async function draftWrite(
  { ports, checkpointer }: ServerParts,
  graph: RunnableGraph,
  place: WritePlace,
  supersteps: readonly (readonly StateUpdate[])[],
  prepare?: (draft: Draft) => Promise<void>,
): Promise<DraftedWrite> {
  for (const { as_node } of supersteps.flat()) assertNode(graph, as_node);
  const draft = new Draft(checkpointer.saver);
  await prepare?.(draft);
  const copy = withSaver(graph, draft);
  const { thread_id, checkpoint_id } = place;
  const at = { thread_id, checkpoint_ns: "", ...(checkpoint_id !== undefined && { checkpoint_id }) };
  const steps = supersteps.map((updates) => ({
    updates: updates.map(({ values, as_node }) => ({ values, asNode: as_node })),
  }));
  const state = await ports.enter(async () => {
    try {
      await copy.bulkUpdateState({ configurable: at }, steps);
      return await copy.getState({ configurable: { thread_id } });
    } catch (error) {
      throw asRefusal(error);
    }
  });
  return { state, commit: () => draft.commit() };
}

function assertNode({ nodes }: RunnableGraph, as_node: string | undefined): void {
  if (as_node === undefined || SPECIAL.has(as_node) || Object.hasOwn(nodes, as_node)) return;
  const known = Object.keys(nodes).filter((name) => name !== "__start__");
  const message = `names no node of this graph: "${as_node.slice(0, 80)}". There are: ${known.join(", ")}`;
  throw new ServerError("invalid_request", `"as_node" ${message}.`, {
    errors: [{ path: "as_node", message }],
  });
}

/** An error with a code is one of the store or of this server; others say what LangGraph cannot take. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || "code" in error) return error;
  const why = (error.message.split("\n")[0] ?? "").slice(0, 200);
  const message = `cannot be written to this thread: ${why}`;
  return new ServerError("invalid_request", `The state ${message}`, {
    errors: [{ path: "values", message }],
  });
}
