import { randomUUID } from "node:crypto";
import { isoTime } from "../../desk/index.ts";
import type { RunnableGraph } from "../graphs/graphs.ts";
import { nextEntry } from "./next-entry.ts";
import { pendingOf } from "../threads/open-questions.ts";
import type { Order } from "./order.ts";
import { play, type Played, type Start } from "./play.ts";
import type { Drain, RunPorts } from "./run-ports.ts";
import { Run, type RunOutcome } from "./run.ts";
import type { BegunThread } from "./runs.ts";
import type { StreamMode } from "./stream-modes.ts";
import type { RunStatus, ThreadRow, ThreadStatus } from "../database/tables.ts";
import { interruptsOf, readNow } from "../threads/thread-view.ts";
import { errorData } from "../to-json.ts";

/** What a client wants to see of a run. */
export interface RunWishes {
  modes: readonly StreamMode[];
  subgraphs?: boolean;
  isStreamed?: boolean;
  interruptBefore?: unknown;
  interruptAfter?: unknown;
}

/** One run, ready to begin. */
export interface Leg {
  run: Run;
  row: ThreadRow;
  graph: RunnableGraph;
  graph_id: string;
  assistant_id: string;
  order: Order;
  wishes: RunWishes;
  /** `null`: what it was to bring has been brought, so only its end is told. */
  start: Start | null;
  drain: Drain;
  tried: Set<string>;
  answer_digest: string | null;
}

export function newRun(thread_id: string, { isStreamed = false }: RunWishes): Run {
  return new Run(randomUUID(), thread_id, { isStreamed });
}

/** Writes down that a run begins: its row, its busy thread, and the ledger's event. */
export async function beginLeg(ports: RunPorts, leg: Leg, thread: Partial<BegunThread>): Promise<void> {
  const { run, row, graph_id, assistant_id, answer_digest, start } = leg;
  const at = isoTime(ports.clock);
  const cause = start?.kind === "input" ? "input" : "resume";
  const { run_id } = run;
  const record = { run_id, thread_id: row.thread_id, graph_id, assistant_id, cause, answer_digest } as const;
  await ports.runs.begin(
    { ...record, status: "running", created_at: at, ended_at: null, error: null },
    thread,
  );
  await tellLedger(ports, leg, at, { type: "run_started", data: { graph_id, assistant_id, cause } });
  run.push("metadata", { run_id, attempt: 1 });
}

/** Lets a begun run go to its end or its next pause and writes down how it ended. Never rejects. */
export async function finishLeg(ports: RunPorts, leg: Leg): Promise<RunOutcome> {
  let outcome: RunOutcome;
  let thread_status: ThreadStatus = "error";
  try {
    const { hasForeignQuestion } = await enter(ports, leg);
    const hasPending =
      (await ports.ledger.countApprovals({ thread_id: leg.run.thread_id, status: "pending" })) > 0;
    const isOpen = hasPending || hasForeignQuestion;
    if (isOpen || leg.start === null) await pushOpen(ports, leg);
    outcome = { status: isOpen ? "interrupted" : "success", error: null };
    thread_status = isOpen ? "interrupted" : "idle";
  } catch (error) {
    const status = endedBy(leg, error);
    outcome = { status, error: status === "drained" ? null : error };
    // What was drained goes on at the next start, which looks for busy threads.
    if (status !== "error") thread_status = status === "drained" ? "busy" : "idle";
    else if ((await pendingOf(ports.ledger, leg.run.thread_id).catch(() => [])).length > 0)
      thread_status = "interrupted";
    if (outcome.error !== null) leg.run.push("error", errorData(error));
  }
  await writeEnd(ports, leg, outcome, thread_status).catch((error: unknown) => ports.onError(error));
  leg.run.push("end", null);
  return outcome;
}

/** Enters the graph; when an answer turns out to be on disk already, enters once more with none. */
async function enter(ports: RunPorts, leg: Leg): Promise<Played> {
  if (leg.start === null) return { hasForeignQuestion: await hasForeign(ports, leg) };
  const { run, graph, graph_id, assistant_id, order, drain, tried } = leg;
  const { modes, subgraphs = false, interruptBefore, interruptAfter } = leg.wishes;
  const base = {
    run,
    graph,
    graph_id,
    assistant_id,
    order,
    drain,
    modes,
    subgraphs,
    interruptBefore,
    interruptAfter,
  };
  if (leg.start.kind === "answers") for (const id of leg.start.approvals.values()) tried.add(id);
  try {
    return await play(ports, { ...base, start: leg.start });
  } catch (error) {
    if (!isUnknownInterrupt(error) || leg.start.kind !== "answers") throw error;
    // It was taken before, or its question has gone: what the ledger holds is enough for the tasks that are left.
    const state = await ports.enter(() => graph.getState({ configurable: { thread_id: run.thread_id } }));
    const hasTasks = state.tasks.some(({ result }) => result === undefined);
    const left = hasTasks ? { kind: "continue" as const } : await nextEntry(ports.ledger, state, tried);
    return left === null ? { hasForeignQuestion: false } : play(ports, { ...base, start: left });
  }
}

function isUnknownInterrupt(error: unknown): boolean {
  return error instanceof Error && error.name === "UnknownInterruptError";
}

async function hasForeign(ports: RunPorts, { row }: Leg): Promise<boolean> {
  return interruptsOf(await readNow(ports, row)).length > 0;
}

/** LangGraph tells of interrupts one by one; the last values of a run show all that are open. */
async function pushOpen(ports: RunPorts, { run, row, graph_id, wishes }: Leg): Promise<void> {
  if (!wishes.isStreamed || !wishes.modes.includes("values")) return;
  const now = await readNow(ports, { ...row, graph_id });
  const open = interruptsOf(now);
  run.push("values", {
    ...(now.state?.values as object | undefined),
    ...(open.length > 0 && { __interrupt__: open }),
  });
}

function endedBy({ run }: Leg, error: unknown): RunStatus {
  if (run.isCancelled) return "cancelled";
  return error instanceof Error && error.name === "GraphDrained" ? "drained" : "error";
}

async function writeEnd(
  ports: RunPorts,
  leg: Leg,
  outcome: RunOutcome,
  thread_status: ThreadStatus,
): Promise<void> {
  const at = isoTime(ports.clock);
  const { status } = outcome;
  const error = outcome.error === null ? null : errorData(outcome.error).message;
  // The ledger first: a run that a crash leaves open in our own table is looked for at the next start.
  await tellLedger(ports, leg, at, { type: "run_stopped", data: { status, error } });
  await ports.runs.end(leg.run, { status, error, thread_status, at });
}

type RunEvent = Parameters<RunPorts["ledger"]["append"]>[0]["events"][number];

async function tellLedger(ports: RunPorts, { run }: Leg, at: string, event: RunEvent): Promise<void> {
  const { thread_id, run_id } = run;
  await ports.ledger.append({ at, thread_id, run_id, call: null, events: [event] });
}
