import type { RunRow } from "../database/tables.ts";
import { viewRun } from "../runs/run-view.ts";
import type { RunResult } from "../runs/run.ts";
import { toJson } from "../to-json.ts";

/** What a webhook is sent: the run as the API shows it, and what it left. JSON. */
export function webhookBody(
  record: RunRow,
  { values, interrupts, error }: RunResult & { error: string | null },
): string {
  return toJson({
    ...viewRun(record),
    ...{ run_started_at: record.created_at, run_ended_at: record.ended_at },
    webhook_sent_at: new Date().toISOString(),
    values: interrupts.length > 0 ? { ...(values as object | null), __interrupt__: interrupts } : values,
    ...(error !== null && { error }),
  });
}
