import { setTimeout as wait } from "node:timers/promises";
import type { RunRow } from "../database/tables.ts";
import type { RunPorts } from "./run-ports.ts";
import { Run } from "./run.ts";

/** How often it is looked whether another process has ended a run, in milliseconds. */
const LOOK_MS = 200;

/**
 * A run that goes on in another process, as one of this: its end is told here, and what it left is in its thread. What
 * it streams on its way is heard only where it runs.
 */
export function followElsewhere(
  ports: Pick<RunPorts, "runs" | "registry" | "onError">,
  {
    run_id,
    thread_id,
    attempt,
    requested_by,
  }: Pick<RunRow, "run_id" | "thread_id" | "attempt" | "requested_by">,
  run: Run = ports.registry.get(run_id) ?? ports.registry.add(new Run(thread_id, run_id, requested_by)),
): Run {
  const follow = async (): Promise<void> => {
    if (run.isFollowed) return;
    run.isFollowed = true;
    // One that begins here after all tells its own end.
    while (run.attempt === 0 && run.outcome === null) {
      const record = await ports.runs.get(run_id);
      if (run.attempt > 0 || run.outcome !== null) return;
      if (record && ["pending", "running", "drained"].includes(record.status)) {
        await wait(LOOK_MS, undefined, { ref: false });
        continue;
      }
      run.push("metadata", { run_id, attempt: record?.attempt ?? attempt });
      const error = record?.status === "error" ? new Error(record.error ?? "The run failed.") : null;
      run.push("end", null);
      run.finish({ status: record?.status ?? "cancelled", error });
    }
  };
  follow().catch((error: unknown) => {
    ports.onError(error);
    run.finish({ status: "error", error });
  });
  return run;
}
