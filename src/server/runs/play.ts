import { Command } from "@langchain/langgraph";
import type { RunnableGraph } from "../graphs/graphs.ts";
import { once, type WireInterrupt } from "../threads/open-questions.ts";
import type { Entry } from "./next-entry.ts";
import { cleanConfigurable, type Order } from "./order.ts";
import type { Drain, RunPorts } from "./run-ports.ts";
import type { Run } from "./run.ts";
import type { Beginning, RunWishes } from "./stored-run.ts";
import { graphModes, StreamEvents, type Chunk } from "./stream-modes.ts";
import { toldPieces } from "./told-pieces.ts";

/** What a run enters the graph with. */
export type Start = Exclude<Beginning, { kind: "answers" }> | Entry;

/** All that is needed to let a graph run once. */
export interface Play {
  run: Run;
  graph: RunnableGraph;
  graph_id: string;
  assistant_id: string;
  order: Order;
  /** Who asked for it, or for what it goes on with. */
  requested_by: string | null;
  wishes: RunWishes;
  start: Start;
  checkpoint_id: string | undefined;
  drain: Drain;
}

/** What a run showed on its way. */
export interface Played {
  /** The last whole state; `undefined` when it showed none. */
  values: unknown;
  /** Each question that one of its tasks stopped at. */
  asked: WireInterrupt[];
}

/**
 * Lets a graph run from one start to its end or its next pause, and hands its stream to the run.
 *
 * @throws what the graph throws, such as `UnknownInterruptError` for an answer that was taken before.
 */
export async function play(
  ports: Pick<RunPorts, "enter" | "seal" | "translate">,
  one: Play,
): Promise<Played> {
  const events = new StreamEvents(one.run, one.wishes.modes);
  const asked = new Map<string, WireInterrupt>();
  let values: unknown;
  const { requested_by } = one;
  await ports.enter(
    async () => {
      for await (const piece of piecesOf(ports, one, inputOf(ports, one.start))) {
        if ("event" in piece) {
          one.run.push("events", piece);
          continue;
        }
        const interrupts = interruptsOf(piece);
        for (const interrupt of interrupts ?? []) asked.set(interrupt.id, interrupt);
        if (piece.mode === "values" && piece.namespace.length === 0 && interrupts === null)
          values = piece.payload;
        events.push(interrupts === null ? piece : withAsked(piece, interrupts));
      }
    },
    { requested_by },
  );
  return { values, asked: [...asked.values()] };
}

/** An event of LangChain's tracing, for the mode `events`. */
interface TraceEvent {
  event: string;
  run_id: string;
  tags?: string[];
  data: { chunk?: unknown };
}

async function* piecesOf(
  ports: Pick<RunPorts, "translate">,
  one: Play,
  input: unknown,
): AsyncGenerator<Chunk | TraceEvent> {
  const { graph, run, wishes } = one;
  const options = optionsOf(one);
  const { teller } = run;
  if (teller !== null && !wishes.modes.includes("events")) {
    const { subgraphs = false } = wishes;
    yield* toldPieces(ports, { graph, teller, input, options, modes: graphModes(wishes.modes), subgraphs });
    return;
  }
  if (!wishes.modes.includes("events")) {
    for await (const raw of await graph.stream(input, options)) yield chunkOf(raw, wishes);
    return;
  }
  const traced = graph.streamEvents(input, { ...options, version: "v2", runId: run.run_id });
  for await (const event of traced as AsyncIterable<TraceEvent>) {
    if (event.tags?.includes("langsmith:hidden")) continue;
    if (event.event === "on_chain_stream" && event.run_id === run.run_id)
      yield chunkOf(event.data.chunk, wishes);
    else yield event;
  }
}

function chunkOf(raw: unknown, { subgraphs }: RunWishes): Chunk {
  const parts = raw as [string[], string, unknown];
  const [namespace, mode, payload] = subgraphs ? parts : ([[], ...parts] as unknown as typeof parts);
  return { namespace, mode, payload };
}

function interruptsOf({ mode, payload }: Chunk): WireInterrupt[] | null {
  if (mode !== "updates" && mode !== "values") return null;
  const asked = (payload as { __interrupt__?: unknown } | null)?.__interrupt__;
  return Array.isArray(asked) ? once(asked as WireInterrupt[]) : null;
}

function withAsked(piece: Chunk, interrupts: WireInterrupt[]): Chunk {
  return { ...piece, payload: { ...(piece.payload as object), __interrupt__: interrupts } };
}

function inputOf({ seal }: Pick<RunPorts, "seal">, start: Start): unknown {
  switch (start.kind) {
    case "input":
      return start.input;
    case "continue":
      return null;
    case "command": {
      const { goto, update } = start;
      const command = { ...(goto !== undefined && { goto }), ...(update !== undefined && { update }) };
      return new Command(command as ConstructorParameters<typeof Command>[0]);
    }
    case "answers": {
      const resume: Record<string, unknown> = { ...start.questions.values };
      for (const [interrupt_id, approval_id] of start.approvals) resume[interrupt_id] = seal(approval_id);
      return new Command({ resume });
    }
  }
}

function optionsOf(one: Play): Record<string, unknown> {
  const { run, order, graph_id, assistant_id, wishes, drain, checkpoint_id } = one;
  const { context, configurable, tags, metadata, recursion_limit } = order;
  const { modes, subgraphs, interruptBefore, interruptAfter } = wishes;
  return {
    configurable: {
      ...cleanConfigurable(configurable),
      ...{ thread_id: run.thread_id, run_id: run.run_id, graph_id, assistant_id },
      ...(checkpoint_id !== undefined && { checkpoint_id }),
      __pregel_strict_resume: true,
    },
    // The message that asks is on disk before its question, and the question before any effect.
    durability: "sync",
    signal: run.signal,
    control: drain,
    streamMode: graphModes(modes),
    subgraphs: subgraphs ?? false,
    ...(context !== undefined && { context }),
    ...(tags !== undefined && { tags }),
    ...(metadata !== undefined && { metadata }),
    ...(recursion_limit !== undefined && { recursionLimit: recursion_limit }),
    ...(interruptBefore !== undefined && { interruptBefore }),
    ...(interruptAfter !== undefined && { interruptAfter }),
  };
}
