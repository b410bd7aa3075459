import type { StateSnapshot } from "@langchain/langgraph";
import { lastApproval, type Approval, type Ledger } from "../../ledger/index.ts";
import { askedIn, callsOf, type AskedCall } from "./asked.ts";

/** What a graph's own questions are answered with now. */
export interface QuestionAnswers {
  /** The graph's own form, by interrupt id. */
  values: Record<string, unknown>;
  /** The approvals that were settled for it. */
  approval_ids: string[];
}

export const NO_ANSWERS: QuestionAnswers = { values: {}, approval_ids: [] };

/**
 * The answers to a graph's own questions whose approvals are all settled and that it was not given yet.
 *
 * @param where the thread, and the approvals that an entry of this process has tried already.
 */
export async function answersFor(
  ledger: Ledger,
  state: StateSnapshot,
  { thread_id, tried }: { thread_id: string; tried: ReadonlySet<string> },
): Promise<QuestionAnswers> {
  const values: Record<string, unknown> = {};
  const approval_ids: string[] = [];
  for (const asked of askedIn(thread_id, state)) {
    const settled = settledIn(await callsOf(ledger, asked));
    if (settled === null || settled.every(({ approval_id }) => tried.has(approval_id))) continue;
    if (settled.some(({ status }) => status === "cancelled") && !asked.question.takesNo) continue;
    values[asked.interrupt_id] = asked.question.answerFrom(settled);
    approval_ids.push(...settled.map(({ approval_id }) => approval_id));
  }
  return { values, approval_ids };
}

/** The approvals of a question in order, when all are settled and none was handed over. */
function settledIn(calls: readonly AskedCall[]): Approval[] | null {
  const settled = calls.flatMap(({ call }) => {
    const approval = call && call.result === null ? lastApproval(call) : undefined;
    return approval && approval.status !== "pending" ? [approval] : [];
  });
  return settled.length === calls.length ? settled : null;
}
