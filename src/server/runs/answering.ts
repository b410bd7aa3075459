import type { StateSnapshot } from "@langchain/langgraph";
import { addressAnswer, DeskError } from "../../desk/index.ts";
import type { Approval } from "../../ledger/index.ts";
import { answerable, pendingOf } from "../threads/open-questions.ts";
import type { RunPorts } from "./run-ports.ts";

/** What became of an answer: approvals that are settled now, and what goes on to tools that asked themselves. */
export interface Taken {
  settled: Approval[];
  others: Record<string, unknown>;
}

/**
 * Takes a client's answer to a paused thread: finds out which questions it is for, and puts the decisions to the desk,
 * all or none. The raw answer goes no further.
 *
 * @throws {DeskError} when it cannot be taken. Everything is as it was then.
 */
export async function takeAnswer(
  { ledger, desk }: Pick<RunPorts, "ledger" | "desk">,
  thread_id: string,
  state: StateSnapshot,
  answer: unknown,
): Promise<Taken> {
  const pending = await pendingOf(ledger, thread_id);
  try {
    const { decisions, others } = addressAnswer(answer, answerable(state, pending));
    const settled = await desk.decideAll(
      decisions.map(({ approval_id, decision }) => ({ approval_id, decision })),
    );
    return { settled: settled.map(({ approval }) => approval), others };
  } catch (error) {
    if (error instanceof DeskError && error.code === "unknown_approval")
      await refuseSettled({ ledger, desk }, thread_id, answer);
    throw error;
  }
}

/** An answer that names a settled approval is told what stands, and not that there is no such approval. */
async function refuseSettled(
  { ledger, desk }: Pick<RunPorts, "ledger" | "desk">,
  thread_id: string,
  answer: unknown,
): Promise<void> {
  if (typeof answer !== "object" || answer === null) return;
  const { approval_id, decisions } = answer as { approval_id?: unknown; decisions?: unknown };
  const map = typeof decisions === "object" && decisions !== null ? decisions : answer;
  const ids = typeof approval_id === "string" ? [approval_id] : Object.keys(map);
  for (const id of ids.filter((one) => one.startsWith("apr_"))) {
    const approval = await ledger.approval(id);
    if (approval && approval.thread_id === thread_id && approval.status !== "pending")
      await desk.decide(id, { type: "reject" });
  }
}
