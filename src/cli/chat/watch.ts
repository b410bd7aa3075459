import { setTimeout as sleep } from "node:timers/promises";
import type { Approval } from "../../ledger/index.ts";
import type { Client } from "../client.ts";

const HOLD_SECONDS = 30;
const RETRY_MS = 1_000;

/** Watches one approval: the signal is aborted when it is pending no more. */
export function watchApproval(client: Client, approval_id: string): { signal: AbortSignal; stop(): void } {
  const settled = new AbortController();
  const stopping = new AbortController();
  const look = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const approval = await client.send<Approval>(`/approvals/${encodeURIComponent(approval_id)}`, {
          query: { wait: HOLD_SECONDS },
          signal: stopping.signal,
        });
        if (approval.status !== "pending") return settled.abort();
      } catch {
        // The server may be gone for a moment; the person's own answer will say so if it stays away.
        await sleep(RETRY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      }
    }
  };
  void look();
  return { signal: settled.signal, stop: () => stopping.abort() };
}
