import type { StateSnapshot } from "@langchain/langgraph";
import { lastApproval, type Call, type Ledger } from "../../ledger/index.ts";
import type { RunRow, ThreadRow } from "../database/tables.ts";
import { nextEntry } from "./next-entry.ts";
import type { RunPorts } from "./run-ports.ts";

/** Whether a call goes on with a decision: its last question is settled, and the model was told nothing yet. */
export function isDecided(call: Call): boolean {
  const approval = lastApproval(call);
  return call.result === null && approval !== undefined && approval.status !== "pending";
}

/**
 * Whether decisions were taken on a thread that nothing has acted upon, so that its graph waits for them still. The state
 * is read only where the ledger says that it may be so.
 *
 * @param tried approvals that an entry has brought already.
 */
export async function hasLeftDecisions(
  ledger: Ledger,
  thread_id: string,
  readState: () => Promise<StateSnapshot | null>,
  tried = new Set<string>(),
): Promise<boolean> {
  if (!(await ledger.openCalls(thread_id)).some(isDecided)) return false;
  const state = await readState();
  const entry = state && (await nextEntry(ledger, state, { thread_id, tried }));
  return entry?.kind === "answers";
}

/** The newest run of a thread. */
export async function newestRun(
  { runs }: Pick<RunPorts, "runs">,
  { run_id }: ThreadRow,
): Promise<RunRow | undefined> {
  return run_id === null ? undefined : runs.get(run_id);
}

/** Whether a run was cancelled, or stopped at a question and is being cancelled there: nothing goes on with what it did. */
export function isCancelled({ status, cancel_reason }: RunRow): boolean {
  return status === "cancelled" || (status === "interrupted" && cancel_reason !== null);
}
