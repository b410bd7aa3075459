import { isoTime } from "../../desk/index.ts";
import type { DecidedBy } from "../../ledger/index.ts";
import { dropOtherCheckpoints } from "../database/stored-checkpoints.ts";
import type { ThreadRow } from "../database/tables.ts";
import type { RunnableGraph } from "../graphs/graphs.ts";
import type { ServerParts } from "../parts.ts";
import { toJson } from "../to-json.ts";
import { deleteThread } from "./delete-thread.ts";
import { draftWrite } from "./draft-write.ts";
import { graphOf } from "./thread-graph.ts";
import { readNow } from "./thread-view.ts";

/** What is taken away: the threads, or all but the newest state of each. */
export type PruneStrategy = "delete" | "keep_latest";

/**
 * Prunes threads. Those that do not exist count as nothing, and so do those that `keep_latest` leaves as they are:
 * where a run is live, a question is open or a step is still to be taken.
 *
 * @returns how many were pruned.
 */
export async function pruneThreads(
  parts: ServerParts,
  thread_ids: readonly string[],
  strategy: PruneStrategy,
  by: DecidedBy,
): Promise<number> {
  const { ports, manager } = parts;
  let count = 0;
  for (const thread_id of new Set(thread_ids)) {
    const row = await ports.threads.get(thread_id);
    if (row === undefined) continue;
    if (strategy === "delete") {
      await deleteThread(parts, row, by);
      count += 1;
    } else if (row.graph_id !== null && ports.graphs.serves(row.graph_id) && !manager.isLive(thread_id)) {
      const isPruned = await manager.alone(thread_id, () => keepLatest(parts, row));
      if (isPruned) count += 1;
    }
  }
  return count;
}

async function keepLatest(parts: ServerParts, row: ThreadRow): Promise<boolean> {
  const { ports, database, checkpointer } = parts;
  const { thread_id } = row;
  const { graph } = await graphOf(parts, row);
  const { state, pending } = await readNow(ports, row);
  if (state?.createdAt === undefined || state.next.length > 0 || pending.length > 0) return false;
  if (!(await writeWhole(parts, graph, row))) return false;
  const newest = await checkpointer.saver.getTuple({ configurable: { thread_id, checkpoint_ns: "" } });
  if (newest === undefined) return false;
  const { id: checkpoint_id, channel_versions: versions } = newest.checkpoint;
  await database.run(() => dropOtherCheckpoints(database, thread_id, { checkpoint_id, versions }));
  await ports.threads.change(thread_id, () => ({ updated_at: isoTime(ports.clock) }));
  return true;
}

/**
 * Writes a checkpoint that holds all of the state by itself. Channels that keep steps, as the messages do, are rebuilt
 * from older checkpoints otherwise. False when it would hold anything else than the state does.
 */
async function writeWhole(
  parts: ServerParts,
  graph: RunnableGraph,
  { thread_id }: ThreadRow,
): Promise<boolean> {
  const { ports, checkpointer } = parts;
  const config = { configurable: { thread_id, checkpoint_ns: "" } };
  const head = await checkpointer.saver.getTuple(config);
  if (head === undefined) return false;
  const { channel_values, channel_versions } = head.checkpoint;
  const absent = Object.keys(channel_versions).filter((channel) => !Object.hasOwn(channel_values, channel));
  // LangGraph stores such a channel whole where writes to it are pending, since a new branch would lose those.
  const drafted = await draftWrite(parts, graph, { thread_id }, [[{ values: null }]], (draft) =>
    Promise.resolve(
      draft.pretend(
        head.config,
        absent.map((channel) => ["00000000-0000-0000-0000-000000000000", channel, []]),
      ),
    ),
  );
  const before = await ports.enter(() => graph.getState(config));
  if (drafted.state.next.length > 0 || toJson(before.values) !== toJson(drafted.state.values)) return false;
  await drafted.commit();
  return true;
}
