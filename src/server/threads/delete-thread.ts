import type { ThreadRow } from "../database/tables.ts";
import type { ServerParts } from "../parts.ts";
import type { Run } from "../runs/run.ts";
import { closeCalls } from "./close-calls.ts";

const REASON = "The thread was deleted.";

/** Deletes a thread: its runs are cancelled, its open calls are closed in the ledger, and its checkpoints go. */
export async function deleteThread(parts: ServerParts, row: ThreadRow): Promise<void> {
  await remove(parts, row);
  parts.ports.registry.forget(row.thread_id);
}

async function remove(parts: ServerParts, { thread_id }: ThreadRow): Promise<void> {
  const { manager, ports, checkpointer } = parts;
  await manager.clear(thread_id, REASON);
  await closeCalls(parts, thread_id, { reason: REASON, by: { kind: "user" } });
  await checkpointer.saver.deleteThread(thread_id);
  await ports.threads.remove(thread_id);
}

/**
 * Deletes the thread of a run that was its only one, once the run has ended. The run's stream is known a little longer,
 * for a client whose connection broke just before the end.
 */
export async function forgetThread(parts: ServerParts, run: Run): Promise<void> {
  const { ports } = parts;
  try {
    await run.done;
    const row = await ports.threads.get(run.thread_id);
    if (row) await remove(parts, row);
  } catch (error) {
    ports.onError(error);
  }
}
