import type { StateSnapshot } from "@langchain/langgraph";
import { questionOf, type OpenInterrupt } from "../../desk/index.ts";
import type { Approval, Ledger } from "../../ledger/index.ts";

/** An interrupt as clients of the LangGraph API read it. */
export type WireInterrupt = { id: string; value: unknown } & Record<string, unknown>;

/** The questions that are open on a thread, by the task that asks. */
export type OpenByTask = Record<string, WireInterrupt[]>;

/** The pending approvals of a thread, oldest first. */
export async function pendingOf(ledger: Ledger, thread_id: string): Promise<Approval[]> {
  return (await ledger.approvals({ status: "pending", thread_id, limit: 1_000 })).approvals;
}

/**
 * What is really open in a state. LangGraph goes on listing an interrupt that was answered, so for ours the ledger
 * says whether it is.
 */
export function openByTask(state: StateSnapshot, pending: readonly Approval[]): OpenByTask {
  const open: OpenByTask = {};
  for (const task of state.tasks) {
    if (task.result !== undefined) continue;
    const waiting = (task.interrupts as WireInterrupt[]).filter((one) => isOpen(one, pending));
    if (waiting.length > 0) open[task.id] = waiting;
  }
  return open;
}

/** Whether an interrupt waits for an answer: one of ours by the ledger, any other one as long as it is listed. */
export function isOpen(interrupt: WireInterrupt, pending: readonly Approval[]): boolean {
  const [ours] = questionOf(interrupt);
  return ours === undefined || pending.some(({ approval_id }) => approval_id === ours.approval.approval_id);
}

/** What an answer may be for: our pending approvals as the ledger has them, and the questions of tools themselves. */
export function answerable(state: StateSnapshot, pending: readonly Approval[]): OpenInterrupt[] {
  const ours = pending.map((approval) => ({ id: approval.interrupt_id ?? "", value: { approval } }));
  const others = Object.values(openByTask(state, pending))
    .flat()
    .filter((one) => questionOf(one).length === 0);
  return [...ours, ...others];
}
