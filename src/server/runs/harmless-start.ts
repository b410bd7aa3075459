import type { ThreadRow } from "../database/tables.ts";
import type { ServerParts } from "../parts.ts";
import { assertHarmlessJump, assertHarmlessState } from "../threads/harmless.ts";
import { stateOf } from "../threads/thread-view.ts";
import type { StoredRun } from "./stored-run.ts";

/**
 * Refuses a run that would go on at a tool of a graph whose gate is not ours, at the moment when it begins: what was
 * harmless when it was ordered may not be so any more. An agent of ours judges each call where it runs.
 *
 * @throws {ServerError} `not_supported`
 */
export async function assertHarmlessStart(
  parts: ServerParts,
  row: ThreadRow,
  { graph_id, stored }: { graph_id: string; stored: StoredRun },
): Promise<void> {
  const { ports } = parts;
  const { beginning, checkpoint_id } = stored;
  if (beginning.kind === "answers" || (await parts.isGated(graph_id))) return;
  if (beginning.kind === "command") {
    const state = await stateOf(ports, row);
    return assertHarmlessJump(parts, graph_id, { goto: beginning.goto, state });
  }
  // A new input begins anew; without one, what waits is done, or done again.
  if (!isEmpty(beginning.input)) return;
  if (checkpoint_id !== undefined) {
    const graph = await ports.graphs.get(graph_id);
    const at = { configurable: { thread_id: row.thread_id, checkpoint_id } };
    return assertHarmlessState(parts, graph_id, await ports.enter(() => graph.getState(at)));
  }
  // A run that was cancelled is over: what it had an answer for is not done with that answer again.
  const newest = row.run_id === null ? undefined : await ports.runs.get(row.run_id);
  const state = newest?.status === "cancelled" ? await stateOf(ports, row) : null;
  if (state) await assertHarmlessState(parts, graph_id, state);
}

function isEmpty(input: unknown): boolean {
  return input === null || (typeof input === "object" && Object.keys(input).length === 0);
}
