import type { Approval, ApprovalQuery, Ledger } from "../ledger/index.ts";

/** Which approvals are wanted. `group_id`: those of one group of alike calls. */
export interface ListQuery extends ApprovalQuery {
  group_id?: string;
}

export interface ApprovalList {
  approvals: Approval[];
  next_cursor: string | null;
}

/** How many pages are looked through for a group in one go. The list goes on at its cursor. */
const PAGES = 20;

/**
 * Lists approvals, oldest first. A group follows from its questions and stands in no index, so it is looked for among
 * what else matches: a page of it may hold fewer than there are, or none, and still name where it goes on.
 */
export async function listApprovals(
  ledger: Pick<Ledger, "approvals">,
  { group_id, ...query }: ListQuery,
): Promise<ApprovalList> {
  if (group_id === undefined) return ledger.approvals(query);
  const { limit = 100 } = query;
  const approvals: Approval[] = [];
  let wanted: ApprovalQuery = query;
  for (let pages = 1; ; pages += 1) {
    const page = await ledger.approvals({ ...wanted, limit: limit - approvals.length });
    approvals.push(...page.approvals.filter((one) => one.group_id === group_id));
    const { next_cursor } = page;
    if (next_cursor === null || approvals.length === limit || pages === PAGES)
      return { approvals, next_cursor };
    // A group is of one turn, and so of one thread.
    const [first] = approvals;
    wanted = { ...wanted, ...(first && { thread_id: first.thread_id }), cursor: next_cursor };
  }
}
