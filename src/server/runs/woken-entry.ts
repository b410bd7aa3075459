import type { ThreadRow } from "../database/tables.ts";
import { answersFor, NO_ANSWERS } from "../questions/answers.ts";
import { stateOf } from "../threads/thread-view.ts";
import { comeToRest } from "./come-to-rest.ts";
import type { Lane } from "./lane.ts";
import type { Entry } from "./next-entry.ts";
import type { RunPorts } from "./run-ports.ts";

/**
 * What the settled approvals that have come for a lane bring into its graph; `null` when that is nothing. The state is
 * read only for a graph's own questions: an approval of our gate is all that its task needs.
 */
export async function wokenEntry(ports: RunPorts, row: ThreadRow, lane: Lane): Promise<Entry | null> {
  const { approvals, hasQuestions } = lane.takeWoken();
  const state = hasQuestions ? await stateOf(ports, row) : null;
  const questions = state ? await answersFor(ports.ledger, state, lane) : NO_ANSWERS;
  if (approvals.size + questions.approval_ids.length > 0) return { kind: "answers", approvals, questions };
  if (hasQuestions) await comeToRest(ports, row);
  return null;
}
