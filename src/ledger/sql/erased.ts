import { sql } from "kysely";
import { ERASURE } from "../erase.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { Dialect, Work } from "./database.ts";
import { Operation } from "./operation.ts";

/** Whether a call was erased with its thread. Its events are there, without what they held. */
export function* isErasedCall(dialect: Dialect, rows: readonly StoredEvent[]): Work<boolean> {
  const [first] = rows;
  if (first?.data !== null) return false;
  return isErased(first, yield* erasuresOf(dialect, [first]));
}

/** Where the last erasure stands of each thread that has a payload missing. */
export function* erasuresOf(dialect: Dialect, rows: readonly StoredEvent[]): Work<Map<string, number>> {
  const ends = new Map<string, number>();
  for (const thread_id of new Set(rows.filter(({ data }) => data === null).map((row) => row.thread_id))) {
    const last = yield* lastErasure.row(dialect, { thread_id });
    if (last) ends.set(thread_id, last.thread_seq);
  }
  return ends;
}

/** Whether the payload of an event is missing because it was erased. */
export function isErased(
  { data, type, thread_id, thread_seq }: StoredEvent,
  ends: Map<string, number>,
): boolean {
  return data === null && type !== ERASURE && thread_seq < (ends.get(thread_id) ?? 0);
}

/** The last erasure of a thread: what stands before it may have no payload. */
const lastErasure = new Operation((build, { thread_id }: { thread_id: string }) =>
  build
    .selectFrom("ledger_events")
    .select("thread_seq")
    .where("thread_id", "=", thread_id)
    // A literal, as in the partial index that answers it.
    .where(sql<boolean>`type = 'thread_erased'`)
    .orderBy("thread_seq", "desc")
    .limit(1),
);

export const erasedApproval = new Operation((build, { approval_id }: { approval_id: string }) =>
  build.selectFrom("ledger_erased").select("approval_id").where("approval_id", "=", approval_id),
);

/** Whether an event is there as it was written: not erased with its thread. One that was tampered with counts as such. */
export const isThere = sql<boolean>`(data is not null or thread_seq > coalesce((
  select max(erasure.thread_seq) from ledger_events erasure
   where erasure.thread_id = ledger_events.thread_id and erasure.type = 'thread_erased'), 0))`;
