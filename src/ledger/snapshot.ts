import type { Tip } from "./chain.ts";
import type { ApprovalRow, CallRow } from "./query.ts";
import type { StoredEvent } from "./stored-event.ts";
import type { TakeRow } from "./take.ts";
import type { ThreadTip } from "./walk.ts";

/**
 * One unmoving view of a store, read in pages: each method gives the rows behind a key, in the order of that key, and
 * none when there are no more.
 */
export interface Snapshot {
  head(): Promise<Tip>;
  hasHead(hash: string): Promise<boolean>;
  events(after_seq: number): Promise<StoredEvent[]>;
  threads(after_thread_id: string): Promise<ThreadTip[]>;
  calls(after_call_id: string): Promise<CallRow[]>;
  approvals(after_approval_id: string): Promise<ApprovalRow[]>;
  eventsOfCalls(call_ids: string[]): Promise<StoredEvent[]>;
  approvalsOfCalls(call_ids: string[]): Promise<ApprovalRow[]>;
  /** The calls of which something is taken: of all threads, or none where only one is looked at. */
  callsWithTakes(after_call_id: string): Promise<{ call_id: string }[]>;
  takesOfCalls(call_ids: string[]): Promise<TakeRow[]>;
}

/** All rows of a method of {@link Snapshot}, page by page. */
export async function* paged<Row, Key>(
  read: (after: Key) => Promise<Row[]>,
  start: Key,
  keyOf: (row: Row) => Key,
): AsyncGenerator<Row[]> {
  let key = start;
  for (;;) {
    const page = await read(key);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    key = keyOf(last);
  }
}
