import { lastExecution, type Ledger } from "../ledger/index.ts";
import { strictestMode, type Mode } from "../policy/index.ts";
import type { Entry } from "./entry.ts";
import type { Judgement } from "./judge.ts";

/** A judgement under the mode that the thread has of its own, where the call may be asked about. */
export async function underThreadMode(entry: Entry, judgement: Judgement): Promise<Judgement> {
  if (judgement.kind !== "judged" || judgement.verdict.mode === "fail_closed") return judgement;
  const isUnknown = entry.call !== null && lastExecution(entry.call)?.state === "unknown";
  if (judgement.verdict.tier !== "approve" && !isUnknown) return judgement;
  const { verdict } = judgement;
  const mode = await strictestOn(entry.parts.ledger, entry.target.thread_id, verdict.mode);
  return { ...judgement, verdict: { ...verdict, mode } };
}

/** The stricter of a mode and the thread's own. */
export async function strictestOn(ledger: Ledger, thread_id: string, mode: Mode): Promise<Mode> {
  const { mode: own } = await ledger.thread(thread_id);
  return strictestMode(mode, own ?? mode);
}
