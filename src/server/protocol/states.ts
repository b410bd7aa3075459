import { z } from "@hono/zod-openapi";
import type { StateSnapshot } from "@langchain/langgraph";
import type { RunnableGraph } from "../graphs/graphs.ts";
import { seesWhole } from "../identity/principal.ts";
import { ServerError } from "../problem.ts";
import { beginRun } from "../runs/begin-run.ts";
import { RunBody } from "../runs/run-body.ts";
import { threadOf } from "../threads/new-thread.ts";
import { readable } from "../threads/thread-view.ts";
import { toPlain } from "../to-json.ts";
import { read } from "./command.ts";
import { SHOWN, type Place } from "./place.ts";

const Namespace = z.array(z.string()).default([]);
const Get = z.looseObject({ namespace: Namespace, keys: z.array(z.string()).nullish() });
const List = z.looseObject({
  namespace: Namespace,
  limit: z.number().int().min(1).max(1_000).default(10),
  before: z.string().nullish(),
});
const Fork = z.looseObject({
  checkpoint_id: z.string().min(1),
  input: z.unknown().optional(),
  config: z.looseObject({ configurable: z.record(z.string(), z.unknown()).nullish() }).nullish(),
});

/** `state.get`: the newest values of the thread's graph, or of one inside it. */
export async function getState(place: Place, params: unknown) {
  const { namespace, keys } = read(Get, params);
  const { graph, graph_id, configurable } = await graphAt(place, namespace);
  const state = await readable(() => place.parts.ports.enter(() => graph.getState({ configurable })));
  const values = Object.entries((state.values ?? {}) as object).filter(
    ([key]) => keys?.includes(key) ?? true,
  );
  const checkpoint = checkpointOf(state);
  const whole = toPlain(Object.fromEntries(values));
  const { parts, thread_id, by } = place;
  const shown = seesWhole(by) ? whole : (await parts.ports.masks.of({ thread_id, graph_id })).show(whole);
  return { values: shown, ...(checkpoint && { checkpoint }) };
}

/** `state.listCheckpoints`: the checkpoints of the thread's graph, or of one inside it, newest first. */
export async function listCheckpoints(place: Place, params: unknown) {
  const { namespace, limit, before } = read(List, params);
  const { graph, configurable } = await graphAt(place, namespace);
  const { ports } = place.parts;
  const options = { limit, ...(before && { before: { configurable: { checkpoint_id: before } } }) };
  const checkpoints = await readable(() =>
    ports.enter(async () => {
      const found = [];
      for await (const state of graph.getStateHistory({ configurable }, options))
        found.push(summaryOf(state));
      return found;
    }),
  );
  return { checkpoints };
}

/** `state.fork`: begins a run that goes out from an older checkpoint. */
export async function fork({ parts, thread_id, by }: Place, params: unknown) {
  const { checkpoint_id, input, config } = read(Fork, params);
  const row = await threadOf(parts.ports, thread_id);
  const body = read(RunBody, {
    ...{ assistant_id: row.assistant_id ?? row.graph_id ?? "", input: input ?? null },
    config: { ...config, configurable: { ...config?.configurable, checkpoint_id } },
  });
  const { run_id } = await beginRun(parts, thread_id, body, SHOWN, by);
  return { run_id, thread_id };
}

async function graphAt(
  { parts, thread_id }: Place,
  namespace: readonly string[],
): Promise<{ graph: RunnableGraph; graph_id: string; configurable: Record<string, unknown> }> {
  const { graph_id } = await threadOf(parts.ports, thread_id);
  if (graph_id === null) throw new ServerError("thread_not_found", "Nothing has run on this thread yet.");
  const graph = await parts.ports.graphs.get(graph_id);
  const inner = namespace.length > 0 && { checkpoint_ns: namespace.join("|") };
  return { graph, graph_id, configurable: { thread_id, ...inner } };
}

function checkpointOf({ config }: StateSnapshot): { id: string; ns: string } | null {
  const { checkpoint_id, checkpoint_ns } = (config.configurable ?? {}) as Record<string, unknown>;
  if (typeof checkpoint_id !== "string") return null;
  return { id: checkpoint_id, ns: typeof checkpoint_ns === "string" ? checkpoint_ns : "" };
}

function summaryOf(state: StateSnapshot) {
  const { step = 0, source } = state.metadata ?? {};
  return { id: checkpointOf(state)?.id ?? "", timestamp: state.createdAt ?? "", step, metadata: { source } };
}
