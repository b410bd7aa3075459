import { isoTime } from "../../desk/index.ts";
import type { ThreadRow } from "../database/tables.ts";
import { assertMay } from "../identity/may.ts";
import { decider, type Principal } from "../identity/principal.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { checkStorable } from "../runs/check-input.ts";
import { assertNoToolRuns, closeCalls } from "./close-calls.ts";
import { draftWrite, type StateUpdate } from "./draft-write.ts";
import { assertGateKept } from "./gate-state.ts";
import { assertHarmlessState } from "./harmless.ts";
import { isResolving, resolveThread } from "./resolve-thread.ts";
import { graphOf } from "./thread-graph.ts";
import { checkpointOf } from "./thread-state.ts";
import { interruptsOf, readNow, type ThreadNow } from "./thread-view.ts";

/** A client's write to the state of a thread. */
export interface StateWrite extends StateUpdate {
  /** The checkpoint that it goes out from. Default: the newest one. */
  checkpoint_id?: string | undefined;
}

/**
 * Writes to the state of a thread that waits for nobody. A write to an older checkpoint is a fork: it leaves the
 * questions of the branch before behind. "Mark as resolved" ends them: see {@link resolveThread}.
 *
 * @returns the new checkpoint.
 * @throws {ServerError} `thread_busy`, `approval_pending`, `not_supported`, `invalid_request`. Nothing is written then.
 */
export async function writeState(
  parts: ServerParts,
  row: ThreadRow,
  write: StateWrite,
  principal: Principal,
): Promise<unknown> {
  const { manager, ports, checkpointer } = parts;
  const { thread_id } = row;
  const by = decider(principal);
  await assertMay(parts, principal, thread_id, isResolving(write) ? "answers" : "changes");
  if (isResolving(write) && !(await isOlder(parts, row, write.checkpoint_id)))
    return resolveThread(parts, row, by);
  await checkStorable(checkpointer, write.values, "values");
  return manager.alone(thread_id, async () => {
    const { graph_id, assistant_id, graph } = await graphOf(parts, row);
    const now = await readNow(ports, { ...row, graph_id });
    const isFork = await isOlder(parts, row, write.checkpoint_id);
    if (!isFork) assertNothingOpen(now);
    const place = { thread_id, ...(isFork && { checkpoint_id: write.checkpoint_id }) };
    const drafted = await draftWrite(parts, graph, place, [[write]]);
    const before = isFork ? await ports.enter(() => graph.getState({ configurable: place })) : now.state;
    await assertGateKept(parts, graph_id, { before, after: drafted.state });
    await assertHarmlessState(parts, graph_id, drafted.state);
    if (isFork) {
      await assertNoToolRuns(parts, thread_id);
      const reason = "The thread went on from an older checkpoint.";
      await closeCalls(parts, thread_id, { reason, by });
    }
    await drafted.commit();
    await ports.threads.change(thread_id, (found) => ({
      ...{ graph_id, assistant_id, status: "idle", error: null, updated_at: isoTime(ports.clock) },
      metadata_json: JSON.stringify({
        ...(JSON.parse(found.metadata_json) as object),
        graph_id,
        assistant_id,
      }),
    }));
    return checkpointOf(drafted.state.config);
  });
}

/** @throws {ServerError} `approval_pending`; `thread_busy` where a decision was not acted upon yet */
function assertNothingOpen(now: ThreadNow): void {
  const open = interruptsOf(now);
  if (now.hasDecided && open.length === 0 && !now.hasPending)
    throw new ServerError(
      "thread_busy",
      "A decision was taken on this thread, and a run is about to act upon it. Wait until it has stopped.",
    );
  if (open.length === 0 && !now.hasPending) return;
  const message =
    'A question is open on this thread. Answer it, or mark the thread as resolved: a write with no values as "__end__".';
  throw new ServerError("approval_pending", message, {
    pending: now.pending.map(({ approval_id }) => approval_id),
    interrupts: open.map(({ id }) => id),
  });
}

/** Whether a checkpoint is not the newest one. @throws {ServerError} `checkpoint_not_found` */
async function isOlder(
  { checkpointer }: ServerParts,
  { thread_id }: ThreadRow,
  checkpoint_id: string | undefined,
): Promise<boolean> {
  if (checkpoint_id === undefined) return false;
  const newest = await checkpointer.saver.getTuple({ configurable: { thread_id, checkpoint_ns: "" } });
  if (newest?.checkpoint.id === checkpoint_id) return false;
  const config = { configurable: { thread_id, checkpoint_ns: "", checkpoint_id } };
  if (await checkpointer.saver.getTuple(config)) return true;
  const message = `This thread has no checkpoint "${checkpoint_id.slice(0, 80)}".`;
  throw new ServerError("checkpoint_not_found", message);
}
