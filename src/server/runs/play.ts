import { Command } from "@langchain/langgraph";
import { questionOf } from "../../desk/index.ts";
import type { RunnableGraph } from "../graphs/graphs.ts";
import type { Entry } from "./next-entry.ts";
import { cleanConfigurable, type Order } from "./order.ts";
import type { Drain, RunPorts } from "./run-ports.ts";
import type { Run } from "./run.ts";
import { graphModes, StreamEvents, type StreamMode } from "./stream-modes.ts";

/** What a run enters the graph with. */
export type Start = { kind: "input"; input: unknown } | Entry;

/** All that is needed to let a graph run once. */
export interface Play {
  run: Run;
  graph: RunnableGraph;
  graph_id: string;
  assistant_id: string;
  order: Order;
  start: Start;
  modes: readonly StreamMode[];
  drain: Drain;
  subgraphs?: boolean;
  interruptBefore?: unknown;
  interruptAfter?: unknown;
}

/** What a run met on its way. */
export interface Played {
  /** A question that is not ours was left open. */
  hasForeignQuestion: boolean;
}

/**
 * Lets a graph run from one start to its end or its next pause, and hands its stream to the run.
 *
 * @throws what the graph throws, such as `UnknownInterruptError` for an answer that was taken before.
 */
export async function play(ports: Pick<RunPorts, "enter" | "seal">, one: Play): Promise<Played> {
  const events = new StreamEvents(one.run, one.modes);
  let hasForeignQuestion = false;
  await ports.enter(async () => {
    const stream = await one.graph.stream(inputOf(ports, one.start), optionsOf(one));
    for await (const raw of stream) {
      const [namespace, mode, payload] = (one.subgraphs ? raw : [[], ...(raw as unknown[])]) as [
        string[],
        string,
        unknown,
      ];
      if (mode === "updates" && asksElse(payload)) hasForeignQuestion = true;
      events.push({ namespace, mode, payload });
    }
  });
  return { hasForeignQuestion };
}

function inputOf({ seal }: Pick<RunPorts, "seal">, start: Start): unknown {
  switch (start.kind) {
    case "input":
      return start.input;
    case "continue":
      return null;
    case "answers": {
      const resume: Record<string, unknown> = { ...start.others };
      for (const [interrupt_id, approval_id] of start.approvals) resume[interrupt_id] = seal(approval_id);
      return new Command({ resume });
    }
  }
}

function optionsOf(one: Play): Record<string, unknown> {
  const { run, order, graph_id, assistant_id, modes, drain, subgraphs, interruptBefore, interruptAfter } =
    one;
  const { context, configurable, tags, metadata, recursion_limit } = order;
  return {
    configurable: {
      ...cleanConfigurable(configurable),
      ...{ thread_id: run.thread_id, run_id: run.run_id, graph_id, assistant_id },
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

function asksElse(update: unknown): boolean {
  const asked = (update as { __interrupt__?: { id?: string; value?: unknown }[] } | null)?.__interrupt__;
  return (
    Array.isArray(asked) && asked.some(({ id, value }) => questionOf({ id: id ?? "", value }).length === 0)
  );
}
