import type { StateSnapshot } from "@langchain/langgraph";
import { questionOf } from "../../desk/index.ts";
import type { Ledger } from "../../ledger/index.ts";
import { answersFor, type QuestionAnswers } from "../questions/answers.ts";
import type { Lane } from "./lane.ts";

/** How a paused graph is entered again. */
export type Entry =
  /** With the settled approvals of our gate, by interrupt id, and the answers to the graph's own questions. */
  | { kind: "answers"; approvals: Map<string, string>; questions: QuestionAnswers }
  /** With nothing: tasks are left that wait for nobody, or all are done and the step after them was never taken. */
  | { kind: "continue" };

/**
 * What a state needs to go on: every settled approval whose task has no result yet, all in one entry; else the tasks
 * that wait for nobody, or the step behind tasks that all have results; else nothing.
 *
 * @param lane with the approvals that an entry of this process has tried already, so that nothing goes round in circles.
 */
export async function nextEntry(
  ledger: Ledger,
  state: StateSnapshot,
  lane: Pick<Lane, "thread_id" | "tried">,
): Promise<Entry | null> {
  const { tasks } = state;
  const approvals = new Map<string, string>();
  // Results of tasks are kept one by one, and the step that takes them all in comes after: a crash may lie between.
  let isLoose = tasks.length > 0 && tasks.every(({ result }) => result !== undefined);
  for (const task of tasks) {
    if (task.result !== undefined) continue;
    if (task.interrupts.length === 0) isLoose = true;
    for (const interrupt of task.interrupts) {
      const [ours] = questionOf({ id: interrupt.id ?? "", value: interrupt.value as unknown });
      if (ours === undefined || lane.tried.has(ours.approval.approval_id)) continue;
      const approval = await ledger.approval(ours.approval.approval_id);
      if (approval && approval.status !== "pending") approvals.set(ours.interrupt_id, approval.approval_id);
    }
  }
  const questions = await answersFor(ledger, state, lane);
  if (approvals.size + questions.approval_ids.length > 0) return { kind: "answers", approvals, questions };
  return isLoose ? { kind: "continue" } : null;
}
