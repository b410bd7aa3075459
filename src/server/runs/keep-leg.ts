import type { RunStatus } from "../database/tables.ts";
import { questionOf } from "../../desk/index.ts";
import { dropQuestions, keepQuestions } from "../questions/keep-questions.ts";
import { stateOf } from "../threads/thread-view.ts";
import type { Leg } from "./leg.ts";
import type { Played } from "./play.ts";
import type { RunPorts } from "./run-ports.ts";

/** Keeps the graph's own questions as a run that stopped by itself left them. */
export async function keepLeg(ports: RunPorts, leg: Leg, { values, asked }: Played): Promise<void> {
  const mayAsk = values === undefined || asked.some((one) => questionOf(one).length === 0);
  // An answer to our gate reaches no question of the graph's own, so none can have gone.
  const isOurs = leg.start?.kind === "answers" && leg.start.questions.approval_ids.length === 0;
  if (isOurs && !mayAsk) return;
  await keep(ports, leg, { mayAsk, hasPaused: leg.start !== null });
}

/** Keeps them as a run left them that was ended, or whose graph threw. What was drained goes on. */
export async function keepFailed(ports: RunPorts, leg: Leg, status: RunStatus): Promise<void> {
  if (status === "cancelled") await dropQuestions(ports, leg.run.thread_id);
  if (status === "error") await keep(ports, leg, { mayAsk: true, hasPaused: false });
}

async function keep(
  ports: RunPorts,
  { run, row, record, requested_by, start }: Leg,
  how: { mayAsk: boolean; hasPaused: boolean },
): Promise<void> {
  const { thread_id, run_id } = run;
  const { graph_id, assistant_id } = record;
  const readState = () => stateOf(ports, { ...row, graph_id });
  const brought = new Set(start?.kind === "answers" ? start.questions.approval_ids : []);
  const asker = { thread_id, run_id, graph_id, assistant_id, requested_by };
  await keepQuestions(ports, asker, { ...how, readState, brought });
}
