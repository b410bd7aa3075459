import { z } from "@hono/zod-openapi";
import type { RunRow, RunStatus } from "../database/tables.ts";

/** How LangGraph's clients call what we call otherwise: a drained run goes on, and one that was cancelled was interrupted. */
const SHOWN = { drained: "pending", cancelled: "interrupted" } as const satisfies Partial<
  Record<RunStatus, string>
>;

/** A run as the LangGraph API shows it. */
export const RunSchema = z
  .object({
    run_id: z.string(),
    thread_id: z.string(),
    assistant_id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    status: z
      .enum(["pending", "running", "success", "interrupted", "error"])
      .describe("`interrupted`: it stopped at a question, or was cancelled."),
    metadata: z.record(z.string(), z.unknown()),
    multitask_strategy: z.enum(["reject", "enqueue", "interrupt", "rollback"]),
    cancel_reason: z.string().nullable(),
  })
  .meta({ id: "Run" });
export type RunView = z.infer<typeof RunSchema>;

export function viewRun(record: RunRow): RunView {
  const { run_id, thread_id, assistant_id, created_at, status, cancel_reason } = record;
  return {
    ...{ run_id, thread_id, assistant_id, created_at, updated_at: record.updated_at ?? created_at },
    status: status === "drained" || status === "cancelled" ? SHOWN[status] : status,
    metadata: JSON.parse(record.metadata_json) as Record<string, unknown>,
    ...{ multitask_strategy: record.multitask_strategy, cancel_reason },
  };
}

/** The statuses of rows that a client's status stands for. */
export function rowStatuses(status: RunView["status"] | "timeout"): RunStatus[] {
  switch (status) {
    case "pending":
      return ["pending", "drained"];
    case "interrupted":
      return ["interrupted", "cancelled"];
    case "timeout":
      return [];
    default:
      return [status];
  }
}
