import { isoTime } from "../../desk/index.ts";
import type { Batch } from "../../ledger/index.ts";
import type { Work } from "../../ledger/sql/index.ts";
import type { RunRow, RunStatus, ThreadRow, ThreadStatus } from "../database/tables.ts";
import type { RunnableGraph } from "../graphs/graphs.ts";
import { isOpen, pendingOf } from "../threads/open-questions.ts";
import { interruptsOf, isUnreadable, readNow, stateOf } from "../threads/thread-view.ts";
import { errorData } from "../to-json.ts";
import { keepFailed, keepLeg } from "./keep-leg.ts";
import { hasLeftDecisions } from "./left-decisions.ts";
import { nextEntry } from "./next-entry.ts";
import type { Order } from "./order.ts";
import { play, type Played, type Start } from "./play.ts";
import type { Drain, RunPorts } from "./run-ports.ts";
import type { Run, RunOutcome, RunResult } from "./run.ts";
import type { BegunThread } from "./run-writes.ts";
import type { RunWishes } from "./stored-run.ts";

/** One run, ready to begin. */
export interface Leg {
  run: Run;
  row: ThreadRow;
  /** The run's row as it is from its beginning on. */
  record: RunRow;
  graph: RunnableGraph;
  order: Order;
  requested_by: string | null;
  wishes: RunWishes;
  /** `null`: what it was to bring has been brought, so only its end is told. */
  start: Start | null;
  checkpoint_id: string | undefined;
  drain: Drain;
  tried: Set<string>;
}

/** Writes down, in one step, that a run begins: its row, its busy thread, and the ledger's event. */
export async function beginLeg(ports: RunPorts, leg: Leg, thread: BegunThread | null): Promise<void> {
  const { run, record } = leg;
  const { run_id, graph_id, assistant_id, cause, attempt, updated_at } = record;
  run.attempt = attempt;
  run.hide(await ports.masks.of({ thread_id: run.thread_id, graph_id }, leg.order.context));
  const event = { type: "run_started", data: { graph_id, assistant_id, cause } } as const;
  await tellLedger(ports, leg, { at: updated_at, event, along: () => ports.runs.beginning(record, thread) });
  ports.feeds.tell(run, { graph_id, answered: answeredBy(leg.start) });
  run.push("metadata", { run_id, attempt });
}

/** The interrupts that a run brings answers to. */
function answeredBy(start: Start | null): string[] {
  return start?.kind === "answers" ? [...start.approvals.keys(), ...Object.keys(start.questions.values)] : [];
}

/** Lets a begun run go to its end or its next pause and writes down how it ended. Never rejects. */
export async function finishLeg(ports: RunPorts, leg: Leg): Promise<RunOutcome> {
  const { run } = leg;
  let outcome: RunOutcome;
  let thread_status: ThreadStatus = "error";
  try {
    const played = await enter(ports, leg);
    await keepLeg(ports, leg, played);
    const result = await resultOf(ports, leg, played);
    const hasPending =
      result.interrupts.length > 0 ||
      (await ports.ledger.countApprovals({ thread_id: run.thread_id, status: "pending" })) > 0 ||
      (await hasMissed(ports, leg, played));
    run.result = result;
    if (hasPending || leg.start === null) pushOpen(leg, result);
    outcome = { status: hasPending ? "interrupted" : "success", error: null };
    thread_status = hasPending ? "interrupted" : "idle";
  } catch (error) {
    const status = endedBy(leg, error);
    await keepFailed(ports, leg, status).catch((failure: unknown) => {
      // A state that cannot be read is shown wherever the thread is.
      if (!isUnreadable(failure)) ports.onError(failure);
    });
    outcome = { status, error: status === "drained" ? null : error };
    // What was drained goes on at the next start, which looks for busy threads.
    if (status !== "error") thread_status = status === "drained" ? "busy" : "idle";
    else if ((await pendingOf(ports.ledger, run.thread_id).catch(() => [])).length > 0)
      thread_status = "interrupted";
    if (outcome.error !== null) run.push("error", errorData(outcome.error));
  }
  // A process that was taken for gone leaves the run to whoever has taken it up.
  const isMine = await ports.leases.isMine(run.thread_id).catch(() => true);
  if (!isMine) return { status: "drained", error: null };
  await writeEnd(ports, leg, outcome, thread_status).catch((error: unknown) => ports.onError(error));
  // A drained run goes on, so its readers come again instead of taking it for done.
  if (outcome.status !== "drained") run.push("end", null);
  return outcome;
}

/** Whether it stopped at a question that was decided in the meantime, so that the graph still waits for that. */
async function hasMissed(
  ports: RunPorts,
  { run, row, record, tried }: Leg,
  { values, asked }: Played,
): Promise<boolean> {
  // Each task that is not done was entered, and has asked again.
  if (values !== undefined && asked.length === 0) return false;
  const readState = () => stateOf(ports, { ...row, graph_id: record.graph_id });
  return hasLeftDecisions(ports.ledger, run.thread_id, readState, tried);
}

/** Enters the graph; when an answer turns out to be on disk already, enters once more with none. */
async function enter(ports: RunPorts, leg: Leg): Promise<Played> {
  const { run, graph, order, requested_by, wishes, checkpoint_id, drain, start, tried } = leg;
  if (start === null) return UNSEEN;
  const { graph_id, assistant_id } = leg.record;
  const base = {
    ...{ run, graph, graph_id, assistant_id, order, requested_by, wishes, checkpoint_id, drain },
  };
  if (start.kind === "answers")
    for (const id of [...start.approvals.values(), ...start.questions.approval_ids]) tried.add(id);
  try {
    return await play(ports, { ...base, start });
  } catch (error) {
    if (!isUnknownInterrupt(error) || start.kind !== "answers") throw error;
    // It was taken before, or its question has gone: what the ledger holds is enough for the tasks that are left.
    const state = await ports.enter(() => graph.getState({ configurable: { thread_id: run.thread_id } }));
    const hasTasks = state.tasks.some(({ result }) => result === undefined);
    const left = hasTasks
      ? { kind: "continue" as const }
      : await nextEntry(ports.ledger, state, { thread_id: run.thread_id, tried });
    return left === null ? UNSEEN : await play(ports, { ...base, start: left });
  }
}

/** What a run showed that did not enter its graph. */
const UNSEEN: Played = { values: undefined, asked: [] };

function isUnknownInterrupt(error: unknown): boolean {
  return error instanceof Error && error.name === "UnknownInterruptError";
}

/** What a run left, as it showed it itself: each task that is not done was entered, and has asked again. */
async function resultOf(ports: RunPorts, leg: Leg, { values, asked }: Played): Promise<RunResult> {
  if (values === undefined) return readResult(ports, leg);
  if (asked.length === 0) return { values, interrupts: [] };
  const pending = await pendingOf(ports.ledger, leg.run.thread_id);
  return { values, interrupts: asked.filter((one) => isOpen(one, pending)) };
}

async function readResult(ports: RunPorts, { row, record }: Leg): Promise<RunResult> {
  const now = await readNow(ports, { ...row, graph_id: record.graph_id });
  return { values: now.state?.values ?? {}, interrupts: interruptsOf(now) };
}

/** LangGraph tells of interrupts one by one; the last values of a run show all that are open. */
function pushOpen({ run, wishes }: Leg, { values, interrupts }: RunResult): void {
  if (!wishes.modes.includes("values")) return;
  run.push("values", {
    ...(values as object | undefined),
    ...(interrupts.length > 0 && { __interrupt__: interrupts }),
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
  const message = outcome.error === null ? null : errorData(outcome.error).message;
  const error = message === null ? null : (leg.run.mask?.hide(message) ?? message);
  const event = { type: "run_stopped", data: { status, error } } as const;
  const along = (): Work<void> => ports.runs.ending(leg.run, { status, error, thread_status, at });
  await tellLedger(ports, leg, { at, event, along });
}

interface Told {
  at: string;
  event: Batch["events"][number];
  along: NonNullable<Batch["along"]>;
}

async function tellLedger(ports: RunPorts, { run }: Leg, { at, event, along }: Told): Promise<void> {
  const { thread_id, run_id } = run;
  await ports.ledger.append({ at, thread_id, run_id, call: null, events: [event], along });
}
