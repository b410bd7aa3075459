import { setTimeout } from "node:timers/promises";
import type { Approval, Ledger } from "../ledger/index.ts";
import { approvalIn, callFor } from "./settle.ts";

/** How often the store is asked for what other processes wrote, in milliseconds. */
const POLL_MS = 250;

/** Waits until an approval is settled, at most `waitMs`, and returns it as it is then. Decides nothing. */
export async function untilSettled(ledger: Ledger, approval_id: string, waitMs: number): Promise<Approval> {
  const end = Date.now() + waitMs;
  for (;;) {
    const change = nextChange(ledger, approval_id);
    try {
      const approval = approvalIn(await callFor(ledger, approval_id), approval_id);
      const left = end - Date.now();
      if (approval.status !== "pending" || left <= 0) return approval;
      await Promise.race([change.happened, setTimeout(Math.min(POLL_MS, left))]);
    } finally {
      change.stop();
    }
  }
}

function nextChange(ledger: Ledger, approval_id: string): { happened: Promise<void>; stop: () => void } {
  let stop = (): void => undefined;
  const happened = new Promise<void>((resolve) => {
    stop = ledger.subscribe((events) => {
      const isIt = events.some(
        ({ type, data }) => type === "approval_resolved" && data.approval_id === approval_id,
      );
      if (isIt) resolve();
    });
  });
  return { happened, stop };
}
