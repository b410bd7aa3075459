import { followElsewhere } from "./elsewhere.ts";
import type { RunPorts } from "./run-ports.ts";
import type { PreparedRun } from "./run-record.ts";

/**
 * Whether a run that waited still does, so that it may begin here. Of one that another process has begun, cancelled or
 * removed, whoever reads it here is told the end.
 */
export async function stillWaits(
  ports: Pick<RunPorts, "runs" | "registry" | "onError">,
  { record, run }: Pick<PreparedRun, "record" | "run">,
): Promise<boolean> {
  const now = await ports.runs.get(record.run_id);
  if (now?.status === "pending" && now.cancel_reason === null) return true;
  followElsewhere(ports, record, run);
  return false;
}
