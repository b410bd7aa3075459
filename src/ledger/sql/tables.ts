import type { Tip } from "../chain.ts";
import type { GrantRow } from "../grant.ts";
import type { ApprovalRow, CallRow } from "../query.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { ThreadTip } from "../walk.ts";

/** The ledger's tables. The one row of `ledger_head` has id 1. */
export interface LedgerTables {
  ledger_events: StoredEvent;
  ledger_calls: CallRow;
  ledger_approvals: ApprovalRow;
  ledger_grants: GrantRow;
  ledger_threads: ThreadTip;
  /** The approvals that were erased with their threads. */
  ledger_erased: { approval_id: string; thread_id: string };
  ledger_head: Tip & { id: number };
}
