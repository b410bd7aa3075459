import { isoTime, withdrawAll } from "../../desk/index.ts";
import { lastApproval, type Call } from "../../ledger/index.ts";
import type { RunRow, ThreadRow } from "../database/tables.ts";
import { ServerError } from "../problem.ts";
import { readNow, statusOf } from "../threads/thread-view.ts";
import { dropQuestions } from "../questions/keep-questions.ts";
import { endPaused } from "./cancel-run.ts";
import { askAgain, keepAtRest } from "./come-to-rest.ts";
import type { Lane } from "./lane.ts";
import type { RunManager } from "./run-manager.ts";
import type { RunPorts } from "./run-ports.ts";
import type { PreparedRun } from "./run-record.ts";
import { Run } from "./run.ts";
import { readStoredRun } from "./stored-run.ts";

const CUT_OFF = "The server stopped before the run's end.";

/**
 * Lets go on what earlier processes left: runs that were cut off, under their own ids; and threads with a decision that
 * nothing acted upon. One thread that cannot be recovered does not keep the others from it.
 */
export async function recover(ports: RunPorts, manager: RunManager): Promise<void> {
  await recoverBusy(ports, manager);
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

/** Takes up runs that wait for their turn or their time, and that an earlier process left. */
export async function adoptWaiting({ runs }: RunPorts, manager: RunManager): Promise<void> {
  for (const record of await runs.standing(["pending"])) manager.adopt(record);
}

/** Lets one thread go on with what it has: a run that was cut off, or a decision that nothing acted upon. */
export async function takeUp(ports: RunPorts, manager: RunManager, thread_id: string): Promise<void> {
  try {
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
  const stopped = await halfCancelled(ports, row);
  if (stopped) {
    await endPaused(ports, stopped, stopped.cancel_reason);
    return null;
  }
  // What was cancelled stays where it was.
  if (row.status !== "busy" && !(await mayGoOn(ports, row))) return null;
  const left = row.status === "busy" ? await closeLeft(ports, row) : null;
  if (left && left.record.cancel_reason !== null) {
    await endCancelled(ports, row, left);
    return null;
  }
  try {
    const run = await manager.goOnWith(lane, row, left);
    if (run) return run;
    if (row.status === "busy") await settle(ports, row);
    if (left) await endLeft(ports, left);
  } catch (error) {
    if (row.status === "busy" && error instanceof ServerError && error.code === "unreadable_state")
      await giveUp(ports, row, error);
    throw error;
  }
  return null;
}

async function mayGoOn({ runs }: RunPorts, { run_id }: ThreadRow): Promise<boolean> {
  const newest = run_id === null ? undefined : await runs.get(run_id);
  return newest !== undefined && newest.status !== "cancelled";
}

/** Threads with a settled approval whose call nobody answered. */
async function decidedThreads(ports: RunPorts): Promise<Set<string>> {
  const open = await ports.ledger.openCalls(undefined, { onTampered: (error) => ports.onError(error) });
  return new Set(open.filter(isDecided).map((call) => call.thread_id));
}

/** Whether a call goes on with a decision: its last question is settled, and the model was told nothing yet. */
export function isDecided(call: Call): boolean {
  const approval = lastApproval(call);
  return call.result === null && approval !== undefined && approval.status !== "pending";
}

/** The run of a thread that had stopped at a question, and was being cancelled there. */
async function halfCancelled({ runs }: RunPorts, { status, run_id }: ThreadRow) {
  const record = status === "busy" || run_id === null ? undefined : await runs.get(run_id);
  const cancel_reason = record?.status === "interrupted" ? record.cancel_reason : null;
  return record && cancel_reason !== null ? { ...record, cancel_reason } : null;
}

/** Records that a run was cut off, and prepares it to go on. */
async function closeLeft(ports: RunPorts, { thread_id, run_id }: ThreadRow): Promise<PreparedRun | null> {
  const { runs, ledger, clock, registry } = ports;
  const at = isoTime(clock);
  const record = run_id === null ? undefined : await runs.get(run_id);
  if (record?.status !== "running" && record?.status !== "drained") return null;
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
async function endCancelled(ports: RunPorts, { thread_id }: ThreadRow, { record, run }: PreparedRun) {
  const { ledger, clock, runs } = ports;
  await withdrawAll(ledger, clock, { thread_id }, record.cancel_reason ?? CUT_OFF);
  await dropQuestions(ports, thread_id);
  const end = { status: "cancelled", error: null, thread_status: "idle", at: isoTime(clock) } as const;
  await runs.end(record, end);
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
