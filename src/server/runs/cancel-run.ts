import { isoTime, withdrawAll } from "../../desk/index.ts";
import type { DecidedBy } from "../../ledger/index.ts";
import type { RunRow } from "../database/tables.ts";
import { dropQuestions } from "../questions/keep-questions.ts";
import type { RunPorts } from "./run-ports.ts";
import type { Run } from "./run.ts";
import type { CancelMark } from "./runs.ts";

/** How long the tasks of an aborted run may still ask, in milliseconds: they hear of the abort one after the other. */
const STRAGGLERS_MS = 5_000;

/** Aborts a live run and withdraws the open questions of its thread, those too that its tasks ask while they end. */
export async function abortRun(ports: RunPorts, run: Run, mark: CancelMark): Promise<void> {
  const { ledger, desk, clock, runs } = ports;
  const { thread_id, run_id } = run;
  const { by, reason } = whyOf(mark);
  // First, so that a crash in between does not let it go on.
  await runs.set(run_id, mark);
  const stop = ledger.subscribe((events) => {
    for (const event of events) {
      if (event.type !== "approval_requested" || event.run_id !== run_id || event.data.announced) continue;
      desk.withdraw(event.data.approval_id, { by, reason }).catch((error: unknown) => ports.onError(error));
    }
  });
  setTimeout(stop, STRAGGLERS_MS).unref();
  ports.enter(() => run.abort());
  await withdrawAll(ledger, clock, { thread_id }, reason, by);
}

/** Ends a run that has stopped at a question: the questions of its thread are withdrawn, and nothing goes on. */
export async function endPaused(ports: RunPorts, record: RunRow, mark: CancelMark): Promise<void> {
  const { clock, runs } = ports;
  const at = isoTime(clock);
  await runs.set(record.run_id, mark);
  await withdrawOpen(ports, record.thread_id, mark);
  await runs.end(record, { status: "cancelled", error: null, thread_status: "idle", at });
}

/** Withdraws what is open on a thread whose run is cancelled. */
export async function withdrawOpen(ports: RunPorts, thread_id: string, mark: CancelMark): Promise<void> {
  const { by, reason } = whyOf(mark);
  await withdrawAll(ports.ledger, ports.clock, { thread_id }, reason, by);
  await dropQuestions(ports, thread_id);
}

/** As the ledger has it. Where nobody had to say who they are, nobody is named. */
export function whyOf({ cancel_reason, cancelled_by }: CancelMark): { reason: string; by: DecidedBy } {
  const by: DecidedBy = cancelled_by === null ? { kind: "system" } : { kind: "user", id: cancelled_by };
  return { reason: cancel_reason ?? "The run was cancelled.", by };
}
