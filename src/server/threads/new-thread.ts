import { keptFor, type Ttl } from "../keeping/ttl.ts";
import { ServerError } from "../problem.ts";
import type { ThreadRow } from "../database/tables.ts";
import type { Threads } from "./threads.ts";

/** A thread on which nothing has run. */
export function emptyThread(
  thread_id: string,
  metadata: Record<string, unknown>,
  { at, owner, ttl }: { at: string; owner: string | null; ttl: Ttl | null },
): ThreadRow {
  return {
    ...{ thread_id, created_at: at, updated_at: at, metadata_json: JSON.stringify(metadata) },
    ...{ graph_id: null, assistant_id: null, order_json: null, status: "idle", error: null, run_id: null },
    ...{ owner, requested_by: null, inherited_json: null, lane_owner: null, ...keptFor(ttl, Date.parse(at)) },
  };
}

/** The thread of this id. @throws {ServerError} `thread_not_found` */
export async function threadOf(
  { threads }: { threads: Pick<Threads, "get"> },
  thread_id: string,
): Promise<ThreadRow> {
  const row = await threads.get(thread_id);
  if (row === undefined) throw new ServerError("thread_not_found", `There is no thread "${thread_id}".`);
  return row;
}
