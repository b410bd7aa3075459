import type { StateSnapshot } from "@langchain/langgraph";
import { questionOf } from "../../desk/index.ts";
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
 * What is really open in a state. LangGraph goes on listing an interrupt that was answered, so the ledger says
 * whether it is.
 */
export function openByTask(state: StateSnapshot, pending: readonly Approval[]): OpenByTask {
  const open: OpenByTask = {};
  for (const task of state.tasks) {
    if (task.result !== undefined) continue;
    const waiting = once(task.interrupts as WireInterrupt[]).filter((one) => isOpen(one, pending));
    if (waiting.length > 0) open[task.id] = waiting;
  }
  return open;
}

/** Each interrupt once: of one that an agent inside a tool asks, LangGraph lists a copy for each level above it. */
export function once(interrupts: readonly WireInterrupt[]): WireInterrupt[] {
  return [...new Map(interrupts.map((one) => [one.id, one])).values()];
}

/** Whether an interrupt waits for an answer: one of its approvals is pending. */
export function isOpen(interrupt: WireInterrupt, pending: readonly Approval[]): boolean {
  const [ours] = questionOf(interrupt);
  return pending.some(({ approval_id, kind, interrupt_id }) =>
    ours ? approval_id === ours.approval.approval_id : kind === "interrupt" && interrupt_id === interrupt.id,
  );
}
