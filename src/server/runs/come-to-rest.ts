import { isoTime } from "../../desk/index.ts";
import type { ThreadRow } from "../database/tables.ts";
import { keepQuestions } from "../questions/keep-questions.ts";
import { readNow, stateOf, statusOf } from "../threads/thread-view.ts";
import { isLeftAlone } from "./left-alone.ts";
import type { RunPorts } from "./run-ports.ts";

/** Writes down how a thread stands on which a question was settled and no run goes on, as after a withdrawal. */
export async function comeToRest(ports: RunPorts, row: ThreadRow): Promise<void> {
  if (isLeftAlone(ports, row)) return;
  await keepAtRest(ports, row);
  const status = statusOf(row, await readNow(ports, row), false);
  if (status === row.status) return;
  await ports.threads.setStatus(row.thread_id, status, row.error, isoTime(ports.clock));
}

/** Keeps the questions of a thread on which nothing runs. */
export async function keepAtRest(ports: RunPorts, row: ThreadRow): Promise<void> {
  const { thread_id, run_id, graph_id, assistant_id, requested_by } = row;
  if (graph_id === null) return;
  const asker = { thread_id, run_id, graph_id, assistant_id: assistant_id ?? graph_id, requested_by };
  const readState = () => stateOf(ports, row);
  await keepQuestions(ports, asker, { readState, mayAsk: true, hasPaused: false, brought: new Set() });
}

/** Opens the questions of threads that wait and that the ledger knows nothing of, as an older version left them. */
export async function askAgain(ports: RunPorts): Promise<void> {
  const query = { status: "interrupted", sort_by: "updated_at", sort_order: "asc" } as const;
  for (const row of await ports.threads.search(query)) {
    try {
      const { thread_id } = row;
      if ((await ports.ledger.countApprovals({ thread_id, status: "pending" })) === 0)
        await comeToRest(ports, row);
    } catch (error) {
      ports.onError(error);
    }
  }
}
