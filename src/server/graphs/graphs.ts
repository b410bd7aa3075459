import type { RunnableConfig } from "@langchain/core/runnables";
import { v5 } from "@langchain/core/utils/uuid";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { StateSnapshot } from "@langchain/langgraph";
import { ServerError } from "../problem.ts";

/** What the server needs of a compiled graph. */
export interface RunnableGraph {
  stream(input: unknown, options: Record<string, unknown>): Promise<AsyncIterable<unknown>>;
  streamEvents(input: unknown, options: Record<string, unknown>): AsyncIterable<unknown>;
  getState(config: object, options?: { subgraphs?: boolean }): Promise<StateSnapshot>;
  getStateHistory(config: object, options?: Record<string, unknown>): AsyncIterable<StateSnapshot>;
  bulkUpdateState(config: object, supersteps: unknown[]): Promise<RunnableConfig>;
  nodes: Record<string, unknown>;
  withConfig(config: object): RunnableGraph;
  checkpointer?: unknown;
  /** What a graph adds to the events of LangGraph's newer protocol. */
  streamTransformers?: readonly never[];
  store?: unknown;
}

/** A graph as its file exports it: compiled, or made for each run from its config. */
export type GraphSource = RunnableGraph | ((config: { configurable: Record<string, unknown> }) => unknown);

// The namespace that LangGraph's own servers derive the id of a graph's first assistant from.
const ASSISTANTS = "6ba7b821-9dad-11d1-80b4-00c04fd430c8";

/** The id of a graph's own assistant. */
export function assistantIdOf(graph_id: string): string {
  return v5(graph_id, ASSISTANTS);
}

/** The graphs of this server, each a copy of its own with the server's checkpointer and long-term store. */
export class Graphs {
  readonly #sources: ReadonlyMap<string, GraphSource>;
  readonly #saver: BaseCheckpointSaver;
  readonly #store: BaseStore;
  readonly #copies = new Map<string, RunnableGraph>();

  constructor(sources: Record<string, GraphSource>, saver: BaseCheckpointSaver, store: BaseStore) {
    this.#sources = new Map(Object.entries(sources));
    this.#saver = saver;
    this.#store = store;
  }

  ids(): string[] {
    return [...this.#sources.keys()];
  }

  serves(graph_id: string): boolean {
    return this.#sources.has(graph_id);
  }

  /** Refuses a name that no graph has. `key` is where the client said it. @throws {ServerError} `graph_not_found` */
  assertServed(graph_id: string, key = "graph_id"): void {
    if (this.serves(graph_id)) return;
    const known = this.ids().join(", ");
    const message = `"${key}" names no graph of this server: "${graph_id.slice(0, 80)}". There are: ${known}.`;
    throw new ServerError("graph_not_found", message);
  }

  /** The graph of a run. One that is made by a function is made for this run's `configurable`. @throws {ServerError} */
  async get(graph_id: string, configurable: Record<string, unknown> = {}): Promise<RunnableGraph> {
    const source = this.#sources.get(graph_id);
    if (source === undefined)
      throw new ServerError(
        "graph_not_found",
        `The graph "${graph_id.slice(0, 80)}" is not served here any more.`,
      );
    if (typeof source === "function")
      return this.#copyOf(unwrap(await source({ configurable })) as RunnableGraph);
    const known = this.#copies.get(graph_id) ?? this.#copyOf(source);
    this.#copies.set(graph_id, known);
    return known;
  }

  #copyOf(graph: RunnableGraph): RunnableGraph {
    // Never the graph itself: another server of this process may use it with a store of its own.
    const copy = graph.withConfig({});
    copy.checkpointer = this.#saver;
    copy.store = this.#store;
    return copy;
  }
}

/** A compiled graph in what a file exports: compiles a builder, and takes the graph out of LangChain's agent. */
export function unwrap(exported: unknown): unknown {
  const graph = has(exported, "compile") ? (exported["compile"] as () => unknown).call(exported) : exported;
  const inner =
    typeof graph === "object" && graph !== null ? (graph as { graph?: unknown }).graph : undefined;
  return isGraph(inner) ? inner : graph;
}

export function isGraph(value: unknown): value is RunnableGraph {
  return has(value, "stream") && has(value, "getState") && has(value, "withConfig");
}

function has(value: unknown, method: string): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Record<string, unknown>)[method] === "function"
  );
}
