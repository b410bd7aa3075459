import type { StateSnapshot } from "@langchain/langgraph";
import { LedgerError, type Approval } from "../../ledger/index.ts";
import { ServerError } from "../problem.ts";
import { viewTtl, type TtlView } from "../keeping/ttl.ts";
import { hasLeftDecisions } from "../runs/left-decisions.ts";
import type { RunPorts } from "../runs/run-ports.ts";
import { openByTask, pendingOf, type OpenByTask, type WireInterrupt } from "./open-questions.ts";
import type { ThreadRow, ThreadStatus } from "../database/tables.ts";
import { toPlain } from "../to-json.ts";

/** A thread as the LangGraph API shows it. */
export interface ThreadView {
  thread_id: string;
  created_at: string;
  updated_at: string;
  /** When its newest state was written. */
  state_updated_at?: string;
  metadata: Record<string, unknown>;
  status: ThreadStatus;
  values: unknown;
  interrupts: OpenByTask;
  error?: string;
  /** How long it is kept, where that was said. */
  ttl?: TtlView;
}

/** What is read of a thread beside its row. */
export interface ThreadNow {
  state: StateSnapshot | null;
  open: OpenByTask;
  /** Our questions that are open by the ledger, seen in the state or not. */
  pending: Approval[];
  hasPending: boolean;
  /** Whether something was decided that nothing has acted upon yet, on a thread that had stopped for it. */
  hasDecided: boolean;
  /** Whether another process goes on with it. */
  isElsewhere: boolean;
  /** Whether its graph is not served here, so that what it waits for cannot be read. */
  isUnread: boolean;
}

type Readers = Pick<RunPorts, "graphs" | "ledger" | "enter" | "leases">;

/** Reads a thread's newest state and what is open in it. A thread without a graph has none. */
export async function readNow(ports: Readers, row: ThreadRow): Promise<ThreadNow> {
  const state = await stateOf(ports, row);
  const pending = await pendingOf(ports.ledger, row.thread_id);
  const hasDecided =
    row.status === "interrupted" &&
    (await hasLeftDecisions(ports.ledger, row.thread_id, () => Promise.resolve(state)));
  return {
    ...{ state, open: state ? openByTask(state, pending) : {}, pending, hasPending: pending.length > 0 },
    ...{ hasDecided, isElsewhere: ports.leases.isWithOther(row) },
    isUnread: row.graph_id !== null && !ports.graphs.serves(row.graph_id),
  };
}

/** @throws {ServerError} `unreadable_state` */
export async function stateOf(
  { graphs, enter }: Omit<Readers, "leases">,
  row: ThreadRow,
): Promise<StateSnapshot | null> {
  const { thread_id, graph_id } = row;
  // A graph that is not served any more cannot be read; its thread still can be listed and deleted.
  if (graph_id === null || !graphs.serves(graph_id)) return null;
  const graph = await graphs.get(graph_id);
  return readable(() => enter(() => graph.getState({ configurable: { thread_id } })));
}

/** Reads of a thread's state. What LangGraph cannot make of it is told of. @throws {ServerError} `unreadable_state` */
export async function readable<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    // An error with a code is one of the store or of this server, whatever the state is.
    if (!(error instanceof Error) || "code" in error) throw error;
    const why = (error.message.split("\n")[0] ?? "").slice(0, 200);
    const message = `The state of this thread cannot be read: ${why} Delete the thread, or go on with another one.`;
    throw new ServerError("unreadable_state", message);
  }
}

/** Whether only this thread cannot be read: the others can. */
export function isUnreadable(error: unknown): error is Error {
  if (error instanceof ServerError) return error.code === "unreadable_state";
  return error instanceof LedgerError && (error.code === "tampered" || error.code === "newer_event");
}

/** The thread's status, from our own records: what a client asks next follows from it. */
export function statusOf(row: ThreadRow, now: ThreadNow, isLive: boolean): ThreadStatus {
  // In another process, when it is not in this one.
  if (isLive || now.isElsewhere || row.status === "busy") return "busy";
  if (now.hasPending || now.hasDecided || Object.keys(now.open).length > 0) return "interrupted";
  // As a process that serves its graph wrote it.
  if (now.isUnread) return row.status;
  // Nothing is open, so neither a stored question nor a run that a crash cut off is what the thread waits for.
  return row.status === "interrupted" ? "idle" : row.status;
}

/**
 * A thread as it stands, without what policy masks unless it is wanted whole. One that cannot be read shows why, so that
 * a list of threads goes on behind it.
 */
export async function viewThread(
  ports: Readers & Pick<RunPorts, "told" | "masks">,
  row: ThreadRow,
  isLive: boolean,
  { isWhole = false } = {},
): Promise<ThreadView> {
  const view = await wholeView(ports, row, isLive);
  if (isWhole) return view;
  const mask = await ports.masks.of(row);
  if (mask.isEmpty) return view;
  const { values, interrupts, error, ...rest } = view;
  return {
    ...rest,
    ...(mask.show({ values, interrupts, error }) as Pick<ThreadView, "values" | "interrupts">),
  };
}

async function wholeView(
  ports: Readers & Pick<RunPorts, "told">,
  row: ThreadRow,
  isLive: boolean,
): Promise<ThreadView> {
  const now = await readNow(ports, row).catch((error: unknown) => {
    if (isUnreadable(error)) return error;
    throw error;
  });
  if (now instanceof Error)
    return {
      ...partsOf(row),
      ...{ status: isLive ? "busy" : "error", values: null, interrupts: {}, error: row.error ?? now.message },
    };
  const status = statusOf(row, now, isLive);
  ports.told.add(interruptsOf(now));
  return {
    ...partsOf(row),
    ...(now.state?.createdAt !== undefined && { state_updated_at: now.state.createdAt }),
    status,
    values: now.state ? toPlain(now.state.values) : null,
    interrupts: toPlain(now.open) as OpenByTask,
    ...(status === "error" && row.error !== null && { error: row.error }),
  };
}

function partsOf(row: ThreadRow) {
  const { thread_id, created_at, updated_at, metadata_json } = row;
  const metadata = JSON.parse(metadata_json) as Record<string, unknown>;
  const ttl = viewTtl(row);
  return { thread_id, created_at, updated_at, metadata, ...(ttl && { ttl }) };
}

/** All open interrupts, as `__interrupt__` has them. */
export function interruptsOf({ open }: Pick<ThreadNow, "open">): WireInterrupt[] {
  return Object.values(open).flat();
}
