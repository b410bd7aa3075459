import { withdrawAll } from "../../desk/index.ts";
import type { RunPorts } from "./run-ports.ts";
import type { Run } from "./run.ts";

/** How long the tasks of an aborted run may still ask, in milliseconds: they hear of the abort one after the other. */
const STRAGGLERS_MS = 5_000;

/** Aborts a run and withdraws the open questions of its thread, those too that its tasks ask while they end. */
export async function cancelRun(ports: RunPorts, run: Run, reason: string): Promise<void> {
  const { ledger, desk, clock } = ports;
  const { thread_id, run_id } = run;
  const by = { kind: "system" as const };
  const stop = ledger.subscribe((events) => {
    for (const event of events) {
      if (event.type !== "approval_requested" || event.run_id !== run_id || event.data.announced) continue;
      desk.withdraw(event.data.approval_id, { by, reason }).catch((error: unknown) => ports.onError(error));
    }
  });
  setTimeout(stop, STRAGGLERS_MS).unref();
  ports.enter(() => run.abort());
  await withdrawAll(ledger, clock, { thread_id }, reason);
}
