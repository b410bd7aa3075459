import type { Approval } from "../../ledger/index.ts";
import { whyOf } from "./cancel-run.ts";
import type { RunPorts } from "./run-ports.ts";

/**
 * Withdraws what the tasks of cancelled runs still asked while they ended, where the process was killed before it could:
 * a cancelled run asks nobody.
 */
export async function withdrawStragglers(ports: RunPorts): Promise<void> {
  const { ledger, desk, runs } = ports;
  let cursor: string | null = null;
  do {
    const query = { status: "pending" as const, limit: 1_000 };
    const page: { approvals: Approval[]; next_cursor: string | null } = await ledger.approvals(
      cursor === null ? query : { ...query, cursor },
    );
    const run_ids = new Set(page.approvals.flatMap(({ run_id }) => run_id ?? []));
    const cancelled = new Map((await runs.cancelled([...run_ids])).map((run) => [run.run_id, run]));
    for (const { approval_id, run_id } of page.approvals) {
      const run = run_id === null ? undefined : cancelled.get(run_id);
      // Somebody may have settled it in this very moment: then that stands.
      if (run) await desk.withdraw(approval_id, whyOf(run)).catch(() => null);
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
}
