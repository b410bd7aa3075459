import type { Approval } from "../../ledger/index.ts";
import { pendingOf } from "../threads/open-questions.ts";
import { ServerError } from "../problem.ts";
import type { RunManager } from "./run-manager.ts";
import type { RunPorts } from "./run-ports.ts";

/** How often new input withdraws what a run it let go on has asked meanwhile, before it is refused. */
const ROUNDS = 5;

/**
 * Makes room for new input where the questions allow that: they are withdrawn, and the run they belong to goes on to
 * its end, so that the model has been told.
 *
 * @throws {ServerError} `approval_pending`
 */
export async function withdrawPending(
  { ledger, desk }: Pick<RunPorts, "ledger" | "desk">,
  manager: Pick<RunManager, "isBusy" | "idle" | "wake">,
  thread_id: string,
): Promise<void> {
  // While a run is live, new input is refused whatever is pending.
  if (await manager.isBusy(thread_id)) return;
  const by = { kind: "system" as const };
  const reason = "New input came, and the policy lets it withdraw open questions.";
  for (let round = 0; round < ROUNDS; round += 1) {
    const pending = await pendingOf(ledger, thread_id);
    if (pending.length === 0) return;
    if (pending.some(({ on_new_input }) => on_new_input !== "withdraw")) throw pendingError(pending);
    for (const { approval_id } of pending) {
      // Somebody may decide it in this very moment: then that stands.
      const settled = await desk.withdraw(approval_id, { by, reason }).catch(() => null);
      if (settled) await manager.wake(settled.approval);
    }
    await manager.idle(thread_id);
  }
}

export function pendingError(pending: readonly Approval[]): ServerError {
  const ids = pending.map(({ approval_id }) => approval_id);
  const message = "Approvals are pending on this thread. Decide or withdraw them before you send new input.";
  return new ServerError("approval_pending", message, { pending: ids });
}
