import { Operation } from "../../ledger/sql/index.ts";
import type { RunRow, ServerTables, ThreadRow } from "../database/tables.ts";

/** What changes in the thread when a run begins on it. */
export type BegunThread = Pick<
  ThreadRow,
  "metadata_json" | "graph_id" | "assistant_id" | "order_json" | "requested_by"
>;

/** Each run writes these, so their SQL is written once. */
type Named<Given extends object> = Operation<Given, unknown, ServerTables>;

/** Writes a run that begins; one that waited or was cut off is there already. */
export const insertRun: Named<RunRow> = new Operation((build, run) =>
  build
    .insertInto("server_runs")
    .values({
      ...{ run_id: run.run_id, thread_id: run.thread_id, graph_id: run.graph_id },
      ...{ assistant_id: run.assistant_id, status: run.status, cause: run.cause, attempt: run.attempt },
      ...{ created_at: run.created_at, updated_at: run.updated_at, ended_at: run.ended_at },
      ...{ error: run.error, answer_digest: run.answer_digest, metadata_json: run.metadata_json },
      ...{ kwargs_json: run.kwargs_json, multitask_strategy: run.multitask_strategy },
      ...{ starts_at: run.starts_at, webhook: run.webhook, cancel_reason: run.cancel_reason },
      cancelled_by: run.cancelled_by,
      ...{ from_checkpoint: run.from_checkpoint, requested_by: run.requested_by },
    })
    .onConflict((conflict) =>
      conflict.column("run_id").doUpdateSet({
        ...{ status: run.status, attempt: run.attempt, from_checkpoint: run.from_checkpoint },
        ...{ updated_at: run.updated_at, ended_at: null, error: null, starts_at: null },
      }),
    ),
);

/** A thread is busy with a run from its beginning on. */
export const beginThread: Named<Pick<RunRow, "run_id" | "thread_id" | "updated_at">> = new Operation(
  (build, { run_id, thread_id, updated_at }) =>
    build
      .updateTable("server_threads")
      .set({ status: "busy", error: null, run_id, updated_at })
      .where("thread_id", "=", thread_id),
);

/** What a run from an input leaves with its thread. */
export const changeThread: Named<BegunThread & { thread_id: string }> = new Operation(
  (build, { metadata_json, graph_id, assistant_id, order_json, requested_by, thread_id }) =>
    build
      .updateTable("server_threads")
      .set({ metadata_json, graph_id, assistant_id, order_json, requested_by })
      .where("thread_id", "=", thread_id),
);

export const endRun: Named<Pick<RunRow, "run_id" | "status" | "error"> & { at: string }> = new Operation(
  (build, { run_id, status, error, at }) =>
    build
      .updateTable("server_runs")
      .set({ status, error, ended_at: at, updated_at: at })
      .where("run_id", "=", run_id),
);

export const dropMark: Named<Pick<RunRow, "run_id">> = new Operation((build, { run_id }) =>
  build
    .updateTable("server_runs")
    .set({ cancel_reason: null, cancelled_by: null })
    .where("run_id", "=", run_id)
    .where("cancel_reason", "is not", null),
);

export const endThread: Named<Pick<ThreadRow, "thread_id" | "status" | "error"> & { at: string }> =
  new Operation((build, { thread_id, status, error, at }) =>
    build
      .updateTable("server_threads")
      .set({ status, error, updated_at: at })
      .where("thread_id", "=", thread_id),
  );
