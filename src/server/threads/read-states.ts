import type { StateSnapshot } from "@langchain/langgraph";
import type { ThreadRow } from "../database/tables.ts";
import type { RunnableGraph } from "../graphs/graphs.ts";
import { ServerError } from "../problem.ts";
import type { RunPorts } from "../runs/run-ports.ts";
import { toPlain } from "../to-json.ts";
import { matches } from "./matches.ts";
import { pendingOf } from "./open-questions.ts";
import { NO_STATE, showState, type ThreadStateView } from "./thread-state.ts";
import { readable } from "./thread-view.ts";

type Readers = Pick<RunPorts, "graphs" | "ledger" | "enter" | "told" | "masks">;

/** Whether a state is wanted whole, or without what policy masks. */
export interface Sight {
  isWhole: boolean;
}

/** A checkpoint, and the subgraph it belongs to; the root graph without `checkpoint_ns`. */
export interface StatePlace {
  checkpoint_id?: string | undefined;
  checkpoint_ns?: string | undefined;
}

/** Which states of a thread are wanted, newest first. */
export interface HistoryWish {
  limit: number;
  /** Only states older than this checkpoint. */
  before?: string | undefined;
  /** What the checkpoints' metadata must hold. */
  metadata?: Record<string, unknown> | undefined;
  checkpoint?: StatePlace | undefined;
}

/**
 * One state of a thread: the newest one, or that of a checkpoint.
 *
 * @throws {ServerError} `checkpoint_not_found`, `unreadable_state`
 */
export async function readState(
  ports: Readers,
  row: ThreadRow,
  { checkpoint_id, checkpoint_ns = "", subgraphs, isWhole }: StatePlace & Sight & { subgraphs: boolean },
): Promise<ThreadStateView> {
  const { thread_id } = row;
  const graph = await graphOfRow(ports, row);
  if (graph === null) {
    if (checkpoint_id !== undefined) throw notFound(checkpoint_id);
    return NO_STATE;
  }
  const config = { configurable: placeIn(thread_id, { checkpoint_id, checkpoint_ns }) };
  const state = await readable(() => ports.enter(() => graph.getState(config, { subgraphs })));
  if (checkpoint_id !== undefined && state.createdAt === undefined) throw notFound(checkpoint_id);
  const view = told(ports, plain(showState(state, await pendingOf(ports.ledger, thread_id))));
  return isWhole ? view : ((await ports.masks.of(row)).show(view) as ThreadStateView);
}

/** The states of a thread, newest first. @throws {ServerError} `unreadable_state` */
export async function readHistory(
  ports: Readers,
  row: ThreadRow,
  { limit, before, metadata = {}, checkpoint = {}, isWhole }: HistoryWish & Sight,
): Promise<ThreadStateView[]> {
  const { thread_id } = row;
  const graph = await graphOfRow(ports, row);
  if (graph === null) return [];
  const pending = await pendingOf(ports.ledger, thread_id);
  const found: ThreadStateView[] = [];
  const readAll = async (): Promise<void> => {
    const wanted = Object.keys(metadata).length > 0;
    for await (const state of statesOf(graph, thread_id, {
      checkpoint,
      before,
      limit: wanted ? null : limit,
    })) {
      // Looked at here, since the databases do not compare nested metadata alike.
      if (wanted && !matches(state.metadata, metadata)) continue;
      found.push(told(ports, plain(showState(state, pending))));
      if (found.length === limit) return;
    }
  };
  await readable(() => ports.enter(readAll));
  return isWhole ? found : ((await ports.masks.of(row)).show(found) as ThreadStateView[]);
}

/** All states from a checkpoint on, or of one checkpoint alone. */
async function* statesOf(
  graph: RunnableGraph,
  thread_id: string,
  { checkpoint, before, limit }: { checkpoint: StatePlace; before: string | undefined; limit: number | null },
): AsyncGenerator<StateSnapshot> {
  const { checkpoint_id, checkpoint_ns = "" } = checkpoint;
  if (checkpoint_id !== undefined) {
    const state = await graph.getState({
      configurable: placeIn(thread_id, { checkpoint_id, checkpoint_ns }),
    });
    if (state.createdAt !== undefined && (before === undefined || checkpoint_id < before)) yield state;
    return;
  }
  yield* graph.getStateHistory(
    { configurable: { thread_id, checkpoint_ns } },
    {
      ...(limit !== null && { limit }),
      ...(before !== undefined && { before: { configurable: { thread_id, checkpoint_id: before } } }),
    },
  );
}

async function graphOfRow({ graphs }: Readers, { graph_id }: ThreadRow): Promise<RunnableGraph | null> {
  return graph_id === null ? null : graphs.get(graph_id);
}

function placeIn(thread_id: string, { checkpoint_id, checkpoint_ns = "" }: StatePlace) {
  return { thread_id, checkpoint_ns, ...(checkpoint_id !== undefined && { checkpoint_id }) };
}

function notFound(checkpoint_id: string): ServerError {
  return new ServerError(
    "checkpoint_not_found",
    `This thread has no checkpoint "${checkpoint_id.slice(0, 80)}".`,
  );
}

function plain(view: ThreadStateView): ThreadStateView {
  return toPlain(view) as ThreadStateView;
}

/** A state that is shown, and so are the questions in it. */
function told(ports: Readers, view: ThreadStateView): ThreadStateView {
  ports.told.add((view.tasks as { interrupts: { id: string }[] }[]).flatMap(({ interrupts }) => interrupts));
  return view;
}
