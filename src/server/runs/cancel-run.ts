import { isoTime, withdrawAll } from "../../desk/index.ts";
import type { RunRow } from "../database/tables.ts";
import { dropQuestions } from "../questions/keep-questions.ts";
import type { RunPorts } from "./run-ports.ts";
import type { Run } from "./run.ts";

/** How long the tasks of an aborted run may still ask, in milliseconds: they hear of the abort one after the other. */
const STRAGGLERS_MS = 5_000;

/** Aborts a live run and withdraws the open questions of its thread, those too that its tasks ask while they end. */
export async function abortRun(ports: RunPorts, run: Run, reason: string): Promise<void> {
  const { ledger, desk, clock, runs } = ports;
  const { thread_id, run_id } = run;
  const by = { kind: "system" as const };
  // First, so that a crash in between does not let it go on.
  await runs.set(run_id, { cancel_reason: reason });
  const stop = ledger.subscribe((events) => {
    for (const event of events) {
      if (event.type !== "approval_requested" || event.run_id !== run_id || event.data.announced) continue;
      desk.withdraw(event.data.approval_id, { by, reason }).catch((error: unknown) => ports.onError(error));
    }
  });
  setTimeout(stop, STRAGGLERS_MS).unref();
  ports.enter(() => run.abort());
  await withdrawAll(ledger, clock, { thread_id }, reason);
}

/** Ends a run that has stopped at a question: the questions of its thread are withdrawn, and nothing goes on. */
export async function endPaused(ports: RunPorts, record: RunRow, reason: string): Promise<void> {
  const { ledger, clock, runs } = ports;
  const { run_id, thread_id } = record;
  const at = isoTime(clock);
  await runs.set(run_id, { cancel_reason: reason });
  await withdrawAll(ledger, clock, { thread_id }, reason);
  await dropQuestions(ports, thread_id);
  await runs.end(record, { status: "cancelled", error: null, thread_status: "idle", at });
}
