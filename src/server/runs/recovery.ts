import { isoTime } from "../../desk/index.ts";
import type { RunRow, ThreadRow } from "../database/tables.ts";
import { ServerError } from "../problem.ts";
import { readNow, statusOf } from "../threads/thread-view.ts";
import { endPaused, withdrawOpen } from "./cancel-run.ts";
import { askAgain, comeToRest, keepAtRest } from "./come-to-rest.ts";
import type { Lane } from "./lane.ts";
import { isLeftAlone } from "./left-alone.ts";
import { isCancelled, isDecided, newestRun } from "./left-decisions.ts";
import type { RunManager } from "./run-manager.ts";
import type { RunPorts } from "./run-ports.ts";
import type { PreparedRun } from "./run-record.ts";
import { Run } from "./run.ts";
import { readStoredRun } from "./stored-run.ts";
import { withdrawStragglers } from "./withdraw-stragglers.ts";

const CUT_OFF = "The server stopped before the run's end.";

/**
 * Lets go on what earlier processes left: runs that were cut off, under their own ids; and threads with a decision that
 * nothing acted upon. One thread that cannot be recovered does not keep the others from it.
 */
export async function recover(ports: RunPorts, manager: RunManager): Promise<void> {
  await recoverBusy(ports, manager);
  await recoverCancelled(ports, manager);
  for (const thread_id of await decidedThreads(ports)) await takeUp(ports, manager, thread_id);
  await askAgain(ports);
  await adoptWaiting(ports, manager);
}

/** Takes up the runs that were cut off and that no process has. */
export async function recoverBusy(ports: RunPorts, manager: RunManager): Promise<void> {
  const busy = await ports.threads.search({ status: "busy", sort_by: "updated_at", sort_order: "asc" });
  for (const { thread_id, lane_owner } of busy)
    if (lane_owner === null && !manager.isLive(thread_id)) await takeUp(ports, manager, thread_id);
}

/** Brings to its end what a process that is gone was cancelling: runs that had stopped at a question, and what others still asked. */
export async function recoverCancelled(ports: RunPorts, manager: RunManager): Promise<void> {
  await withdrawStragglers(ports);
  for (const thread_id of await ports.runs.halfCancelled()) await takeUp(ports, manager, thread_id);
}

/** Takes up runs that wait for their turn or their time, and that an earlier process left. */
export async function adoptWaiting(ports: RunPorts, manager: RunManager): Promise<void> {
  const { runs } = ports;
  for (const record of await runs.standing(["pending"])) {
    if (isLeftAlone(ports, record)) continue;
    const { cancel_reason: reason, cancelled_by: by } = record;
    if (reason === null) manager.adopt(record);
    else await manager.cancel(record, { reason, by, action: "interrupt" });
  }
}

/**
 * Lets one thread go on with what it has: a run that was cut off, or a decision that nothing acted upon. One of a graph
 * that is not served here is left as it is.
 */
export async function takeUp(ports: RunPorts, manager: RunManager, thread_id: string): Promise<void> {
  try {
    const row = await ports.threads.get(thread_id);
    if (row === undefined || isLeftAlone(ports, row)) return;
    await manager.takeUp(thread_id, (lane) => recoverThread(ports, manager, lane));
  } catch (error) {
    // Somebody else has it by now, or this process stops.
    const isNothing = error instanceof ServerError && ["thread_busy", "stopping"].includes(error.code);
    if (!isNothing) ports.onError(error);
  }
}

async function recoverThread(ports: RunPorts, manager: RunManager, lane: Lane): Promise<Run | null> {
  const row = await ports.threads.get(lane.thread_id);
  if (row === undefined) return null;
  const newest = await newestRun(ports, row);
  const isBusy = row.status === "busy";
  const tell = (why: string, run_id = row.run_id): void =>
    ports.log.info("thread taken up", { thread_id: row.thread_id, run_id, why });
  // A run may have been forgotten while its thread waited: the thread still says that it waits, and its decision counts.
  const hasEnded = newest === undefined ? row.status !== "interrupted" : isCancelled(newest);
  if (!isBusy && hasEnded) {
    // What was cancelled stays where it was.
    if (newest?.status !== "interrupted") return null;
    tell("its run was being cancelled while it waited for a decision");
    await endPaused(ports, newest, newest);
    return null;
  }
  const left = isBusy ? await closeLeft(ports, newest) : null;
  if (left && left.record.cancel_reason !== null) {
    tell("its run was being cancelled");
    await endCancelled(ports, left);
    return null;
  }
  try {
    const run = await manager.goOnWith(lane, row, left);
    if (run) tell(left ? "its run was cut off" : "a decision was not acted upon", run.run_id);
    if (run) return run;
    if (isBusy) tell("its run had nothing left to do");
    if (isBusy) await settle(ports, row);
    else if (row.status === "interrupted") await comeToRest(ports, row);
    if (left) await endLeft(ports, left);
  } catch (error) {
    if (row.status === "busy" && error instanceof ServerError && error.code === "unreadable_state")
      await giveUp(ports, row, error);
    throw error;
  }
  return null;
}

/** Threads with a settled approval whose call nobody answered. */
async function decidedThreads(ports: RunPorts): Promise<Set<string>> {
  const open = await ports.ledger.openCalls(undefined, { onTampered: (error) => ports.onError(error) });
  return new Set(open.filter(isDecided).map((call) => call.thread_id));
}

/** Records that a run was cut off, and prepares it to go on. */
async function closeLeft(ports: RunPorts, record: RunRow | undefined): Promise<PreparedRun | null> {
  const { runs, ledger, clock, registry } = ports;
  const at = isoTime(clock);
  if (record?.status !== "running" && record?.status !== "drained") return null;
  const { thread_id, run_id } = record;
  const data = { status: "drained", error: CUT_OFF };
  if (!(await hasEnded(ledger, record)))
    await ledger.append({ at, thread_id, run_id, call: null, events: [{ type: "run_stopped", data }] });
  await runs.set(record.run_id, { status: "drained", error: CUT_OFF, ended_at: at, updated_at: at });
  const stored = readStoredRun(record.kwargs_json) ?? {
    ...{ beginning: { kind: "answers" as const }, order: {}, wishes: { modes: [] } },
  };
  return { record, stored, run: registry.add(new Run(thread_id, record.run_id, record.requested_by)) };
}

/** Whether the ledger has the run's newest end already, or not even its beginning. */
async function hasEnded(ledger: RunPorts["ledger"], { thread_id, run_id }: RunRow): Promise<boolean> {
  let isOpen = false;
  let after = 0;
  for (;;) {
    const events = await ledger.events({ thread_id, after });
    for (const event of events.filter((one) => one.run_id === run_id)) {
      if (event.type === "run_started") isOpen = true;
      if (event.type === "run_stopped") isOpen = false;
    }
    const last = events.at(-1);
    if (last === undefined) return !isOpen;
    after = last.seq;
  }
}

/** A run that was being cancelled is cancelled: nothing goes on. */
async function endCancelled(ports: RunPorts, { record, run }: PreparedRun): Promise<void> {
  await withdrawOpen(ports, record.thread_id, record);
  const end = { status: "cancelled", error: null, thread_status: "idle", at: isoTime(ports.clock) } as const;
  await ports.runs.end(record, end);
  run.finish({ status: "cancelled", error: null });
}

/** A run that had nothing left to do has ended, as its thread says. */
async function endLeft({ threads, runs }: RunPorts, { record, run }: PreparedRun): Promise<void> {
  const row = await threads.get(record.thread_id);
  const status = row?.status === "interrupted" || row?.status === "error" ? row.status : "success";
  await runs.set(record.run_id, { status, error: row?.error ?? null });
  run.finish({ status, error: null });
}

/** A thread that cannot be read is not tried again at every start. */
async function giveUp({ threads, clock }: RunPorts, { thread_id }: ThreadRow, error: Error): Promise<void> {
  await threads.setStatus(thread_id, "error", error.message, isoTime(clock));
}

/** A thread that has nothing to go on with is at rest. */
async function settle(ports: RunPorts, row: ThreadRow): Promise<void> {
  await keepAtRest(ports, row);
  const now = await readNow(ports, row);
  const isLost = now.state?.config.configurable?.["checkpoint_id"] === undefined;
  const error = isLost ? "The server stopped before the run's input was on disk. Send it again." : null;
  const status = isLost ? "error" : statusOf({ ...row, status: "idle" }, now, false);
  await ports.threads.setStatus(row.thread_id, status, error, isoTime(ports.clock));
}
