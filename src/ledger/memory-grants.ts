import { grantOf, isFor, type Grant, type GrantRow } from "./grant.ts";
import { grantChanges } from "./grant-changes.ts";
import type { Approval } from "./approval.ts";
import type { Batch, GrantQuery, GrantsFor, Remembered } from "./ledger.ts";
import { cursorAfter, GRANT_LIMIT, limitOf, readApproval, readCursor, type ApprovalRow } from "./query.ts";
import type { MemoryTakes } from "./memory-takes.ts";
import { indexable, type Sealed } from "./seal.ts";
import type { Limit } from "./take.ts";

/** The grants of a ledger in memory. */
export class MemoryGrants implements Remembered {
  readonly #rows = new Map<string, GrantRow>();
  readonly #approvals: () => Iterable<ApprovalRow>;

  readonly takes: MemoryTakes;

  /** @param approvals the rows of approvals, oldest first; throws when the ledger is closed. */
  constructor(approvals: () => Iterable<ApprovalRow>, takes: MemoryTakes) {
    this.#approvals = approvals;
    this.takes = takes;
  }

  taken(limit: Omit<Limit, "up_to">): Promise<{ at: string; amount: number }[]> {
    return Promise.resolve(this.takes.within(limit));
  }

  /** Whether the grant that a batch names has a use left. */
  mayUse({ uses_grant, at }: Batch): boolean {
    if (uses_grant === undefined) return true;
    const row = this.#rows.get(uses_grant);
    return row?.status === "active" && row.expires_at > at && row.used < row.uses;
  }

  use(grant_id: string | undefined): void {
    const row = grant_id === undefined ? undefined : this.#rows.get(grant_id);
    if (row) this.#rows.set(row.grant_id, { ...row, used: row.used + 1 });
  }

  write(sealed: Sealed): void {
    for (const change of grantChanges(sealed)) {
      if (change.kind === "made") this.#rows.set(change.row.grant_id, change.row);
      for (const row of this.#rows.values()) {
        if (change.kind === "revoked" && row.grant_id === change.grant_id)
          this.#rows.set(row.grant_id, { ...row, status: "revoked" });
        if (change.kind === "settled" && row.call_id === change.call_id && row.status === "waiting")
          this.#rows.set(row.grant_id, { ...row, status: change.status });
      }
    }
  }

  forget(thread_id: string): void {
    for (const row of this.#rows.values()) if (row.thread_id === thread_id) this.#rows.delete(row.grant_id);
  }

  async settledLike(call: { tool: string; args_digest: string; thread_id?: string }): Promise<Approval[]> {
    const { args_digest, thread_id } = call;
    const tool = indexable(call.tool);
    return [...this.#approvals()]
      .filter(
        (row) =>
          row.tool === tool &&
          row.args_digest === args_digest &&
          row.status !== "pending" &&
          (thread_id === undefined || row.thread_id === thread_id),
      )
      .reverse()
      .map(({ record }) => readApproval(record))
      .filter(({ decision }) => decision?.decided_by.kind !== "policy")
      .slice(0, 50);
  }

  async decidedBy({ decider, since }: { decider: string; since: string }): Promise<Approval[]> {
    return [...this.#approvals()]
      .filter((row) => row.decider === decider)
      .reverse()
      .slice(0, 1_000)
      .map(({ record }) => readApproval(record))
      .filter(({ decision }) => (decision?.decided_at ?? "") >= since);
  }

  async grants(query: GrantQuery): Promise<{ grants: Grant[]; next_cursor: string | null }> {
    const limit = limitOf(query.limit, GRANT_LIMIT);
    const after = readCursor(query);
    const isOpen = (row: GrantRow) => ["active", "waiting"].includes(grantOf(row, query.at).status);
    const found = [...this.#rows.values()].filter(
      (row) => row.made_seq > after && (query.status !== "active" || isOpen(row)),
    );
    const last = found[limit - 1];
    const next_cursor = last && found.length > limit ? cursorAfter(last.made_seq) : null;
    return { grants: found.slice(0, limit).map((row) => grantOf(row, query.at)), next_cursor };
  }

  async grant(grant_id: string, at: string): Promise<Grant | null> {
    const row = this.#rows.get(grant_id);
    return row ? grantOf(row, at) : null;
  }

  async grantsFor(given: GrantsFor): Promise<Grant[]> {
    return [...this.#rows.values()]
      .filter(
        ({ tool, status, expires_at }) => tool === given.tool && status === "active" && expires_at > given.at,
      )
      .map((row) => grantOf(row, given.at))
      .filter((one) => isFor(one, given))
      .reverse();
  }
}
