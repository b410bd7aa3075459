import type { RunnableGraph } from "../graphs/graphs.ts";
import { OwnCalls } from "./own-calls.ts";
import type { GraphPorts } from "./run-ports.ts";
import type { Chunk } from "./stream-modes.ts";
import type { RawPiece, Teller } from "./teller.ts";

/** What the newer protocol is made of. */
const MODES = ["values", "updates", "messages", "tools", "custom", "tasks"];

/** Modes whose pieces come from inside a node, and not from the graph that the node is of. */
const INSIDE = new Set(["messages", "tools"]);

export interface Told {
  graph: RunnableGraph;
  teller: Teller;
  input: unknown;
  options: Record<string, unknown>;
  /** What readers of the older protocol want. */
  modes: readonly string[];
  subgraphs: boolean;
}

/**
 * Lets a graph run once for both protocols: the newer one is told as it goes, and the pieces are those of the older one.
 * Messages have another form in each. Where the older one asks for them, the newer one does without: it has the state
 * after each step.
 */
export async function* toldPieces(
  { translate }: Pick<GraphPorts, "translate">,
  { graph, teller, input, options, modes, subgraphs }: Told,
): AsyncGenerator<Chunk> {
  const hasOlderMessages = modes.includes("messages");
  const stream = (await graph.stream(input, {
    ...options,
    version: hasOlderMessages ? "v2" : "v3",
    streamMode: [...new Set([...MODES, ...modes])],
    subgraphs: true,
  })) as AsyncIterable<RawPiece>;
  const calls = new OwnCalls();
  const pieces: Chunk[] = [];
  const source = async function* (): AsyncGenerator<RawPiece> {
    for await (const raw of stream) {
      const [namespace, mode, payload] = calls.place(raw);
      if (modes.includes(mode) && !isEnvelope(mode, payload)) {
        const level = namespace.length - (INSIDE.has(mode) ? 1 : 0);
        if (subgraphs) pieces.push({ namespace: raw[0], mode, payload });
        else if (level <= 0) pieces.push({ namespace: [], mode, payload });
      }
      if (mode !== "messages" || !hasOlderMessages) yield [namespace, mode, payload];
    }
  };
  for await (const event of translate(source(), graph)) {
    teller.take(event);
    yield* pieces.splice(0);
  }
  yield* pieces.splice(0);
}

/** What only the newer protocol has of a checkpoint: that there is one. */
function isEnvelope(mode: string, payload: unknown): boolean {
  return mode === "checkpoints" && !("values" in (payload as object));
}
