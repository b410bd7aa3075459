import { EMPTY_CHAIN, type Tip } from "./chain.ts";
import type { ApprovalRow, CallRow } from "./query.ts";
import type { Snapshot } from "./snapshot.ts";
import type { StoredEvent } from "./stored-event.ts";
import type { TakeRow } from "./take.ts";

/** All that a ledger in memory holds. Maps keep the order in which keys came. */
export interface MemoryTables {
  events: StoredEvent[];
  threads: Map<string, Tip>;
  calls: Map<string, CallRow>;
  approvals: Map<string, ApprovalRow>;
  /** By approval and meter. */
  takes: Map<string, TakeRow>;
  head: Tip;
}

export function emptyTables(): MemoryTables {
  return {
    ...{ events: [], threads: new Map(), calls: new Map(), approvals: new Map(), takes: new Map() },
    head: EMPTY_CHAIN,
  };
}

/** The tables as they are now, whatever is written later: all of them, or the rows of one thread. */
export function memorySnapshot(tables: MemoryTables, thread_id?: string): Snapshot {
  const isWanted = (row: { thread_id: string }) => thread_id === undefined || row.thread_id === thread_id;
  const { head } = tables;
  const whole = [...tables.events];
  const events = whole.filter(isWanted);
  const threads = [...tables.threads].map(([id, tip]) => ({ ...tip, thread_id: id })).filter(isWanted);
  const calls = [...tables.calls.values()].filter(isWanted);
  const approvals = [...tables.approvals.values()].filter(isWanted);
  const takes = [...tables.takes.values()];
  const takers = thread_id === undefined ? takes : [];
  // It is all in memory, so the first page holds everything.
  return {
    head: async () => head,
    hasHead: async (hash) => whole.some((row) => row.head_hash === hash),
    events: async (after) => (after === 0 ? events : []),
    threads: async (after) => (after === "" ? threads : []),
    calls: async (after) => (after === "" ? calls : []),
    approvals: async (after) => (after === "" ? approvals : []),
    eventsOfCalls: async () => events.filter(({ call_id }) => call_id !== null),
    approvalsOfCalls: async () => approvals,
    callsWithTakes: async (after) => (after === "" ? takers : []),
    takesOfCalls: async () => takes,
  };
}
