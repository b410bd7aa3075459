import type { Tip } from "../chain.ts";
import type { GrantRow } from "../grant.ts";
import type { ApprovalRow, CallRow } from "../query.ts";
import type { TakeRow } from "../take.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { ThreadState } from "../thread-state.ts";
import type { ThreadTip } from "../walk.ts";

export interface ThreadStateRow extends ThreadState {
  thread_id: string;
}

/** The ledger's tables. The one row of `ledger_head` has id 1. */
export interface LedgerTables {
  ledger_events: StoredEvent;
  ledger_calls: CallRow;
  ledger_approvals: ApprovalRow;
  ledger_grants: GrantRow;
  ledger_takes: TakeRow;
  ledger_threads: ThreadTip;
  ledger_thread_states: ThreadStateRow;
  /** The approvals that were erased with their threads. */
  ledger_erased: { approval_id: string; thread_id: string };
  ledger_head: Tip & { id: number };
}
