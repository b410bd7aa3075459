import { isoTime } from "../../desk/index.ts";
import { ask } from "../../ledger/sql/index.ts";
import type { ServerTables, ThreadRow } from "../database/tables.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { deleteThread } from "../threads/delete-thread.ts";
import { pruneThreads } from "../threads/prune-threads.ts";
import { keptOn, ttlOf } from "./ttl.ts";

const REASON = "The thread's time to live was over.";

/** How many threads are looked at in one go. */
const PAGE = 100;

/**
 * Deletes or prunes the threads whose time to live is over. What happened on a thread since counts: then it is looked
 * at again later, and so is one on which a run is live or waits for its turn. A question that is still open ends as
 * `cancelled` with its thread. One thread that cannot be swept does not keep the others from it.
 *
 * @returns how many were swept.
 */
export async function sweepThreads(parts: ServerParts): Promise<number> {
  const { ports } = parts;
  let swept = 0;
  let after = "";
  for (;;) {
    const rows = await dueThreads(parts, after);
    for (const row of rows) {
      try {
        if (await sweep(parts, row)) swept += 1;
      } catch (error) {
        // Somebody began a run in this very moment: next time.
        if (!(error instanceof ServerError && error.code === "thread_busy")) ports.onError(error);
      }
    }
    const last = rows.at(-1);
    if (last === undefined || parts.closing.aborted) return swept;
    after = last.thread_id;
  }
}

async function sweep(parts: ServerParts, row: ThreadRow): Promise<boolean> {
  const { ports, manager } = parts;
  const { thread_id, updated_at } = row;
  const now = ports.clock();
  const ttl = ttlOf(row);
  if (ttl === null) return false;
  if (ttl.ends > now) return later({ expires_at: new Date(ttl.ends).toISOString() });
  if (row.status === "busy" || manager.isLive(thread_id)) return false;
  const waiting = await ports.runs.list(thread_id, { statuses: ["pending"], limit: 1, offset: 0 });
  if (waiting.length > 0) return false;
  if (ttl.strategy === "delete") {
    await deleteThread(parts, row, { kind: "system" }, REASON);
    return true;
  }
  const isNew = ttl.pruned !== updated_at;
  const count = isNew ? await pruneThreads(parts, [thread_id], "keep_latest", { kind: "system" }) : 0;
  const { ends: _ends, ...kept } = ttl;
  const pruned = (await ports.threads.get(thread_id))?.updated_at ?? updated_at;
  // What was left as it is, as with a question open, is tried again after one more time to live.
  await later(keptOn(count > 0 || !isNew ? { ...kept, pruned } : kept, now));
  return count > 0;

  async function later(change: Partial<ThreadRow>): Promise<false> {
    await ports.threads.change(thread_id, () => change);
    return false;
  }
}

function dueThreads({ database, ports }: ServerParts, after: string): Promise<ThreadRow[]> {
  const select = database
    .builder<ServerTables>()
    .selectFrom("server_threads")
    .selectAll()
    .where("expires_at", "<=", isoTime(ports.clock))
    .where("thread_id", ">", after)
    .orderBy("thread_id")
    .limit(PAGE)
    .compile();
  return database.read(() => ask(select));
}
