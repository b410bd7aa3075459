import { isoTime } from "../../desk/index.ts";
import type { MultitaskStrategy, RunRow, ThreadRow } from "../database/tables.ts";
import { ANYBODY, type Principal } from "../identity/principal.ts";
import type { Order } from "./order.ts";
import type { RunPorts } from "./run-ports.ts";
import { Run } from "./run.ts";
import type { Beginning, RunWishes, StoredRun } from "./stored-run.ts";

/** Which graph a run is of, and what its client wants. */
export interface GivenRun {
  graph_id: string;
  assistant_id: string;
  /** Whose run it is, and who decides where it brings an answer. */
  by: Principal;
  order: Order;
  wishes: RunWishes;
  metadata: Record<string, unknown>;
  strategy: MultitaskStrategy;
  webhook: string | null;
  /** Not before this time; `null`: at once. */
  starts_at: string | null;
  checkpoint_id?: string;
  isTemporary?: boolean;
}

/** A run that can begin: its row, and what it begins with. */
export interface PreparedRun {
  run: Run;
  record: RunRow;
  stored: StoredRun;
}

/** A run that no client asked for, as after a decision: it goes on with what its thread has. */
export function ownRun({ graph_id, assistant_id }: ThreadRow): GivenRun {
  return {
    ...{ graph_id: graph_id ?? "", assistant_id: assistant_id ?? "", order: {}, wishes: { modes: [] } },
    ...{ metadata: {}, strategy: "enqueue", webhook: null, starts_at: null, by: ANYBODY },
  };
}

/** Makes a run that waits, known to this process from now on. Nothing is written yet. */
export function prepare(
  { clock, registry }: Pick<RunPorts, "clock" | "registry">,
  thread_id: string,
  given: GivenRun,
  { beginning, answer_digest = null }: { beginning: Beginning; answer_digest?: string | null },
): PreparedRun {
  const { graph_id, assistant_id, order, wishes, checkpoint_id, isTemporary } = given;
  const run = registry.add(new Run(thread_id, undefined, given.by.id));
  const at = isoTime(clock);
  const stored: StoredRun = {
    ...{ beginning, order, wishes },
    ...(checkpoint_id !== undefined && { checkpoint_id }),
    ...(isTemporary && { isTemporary }),
  };
  const record: RunRow = {
    ...{ run_id: run.run_id, thread_id, graph_id, assistant_id, answer_digest },
    ...{ status: "pending", cause: beginning.kind === "answers" ? "resume" : "input", attempt: 0 },
    ...{ created_at: at, updated_at: at, ended_at: null, starts_at: given.starts_at },
    ...{
      error: null,
      cancel_reason: null,
      cancelled_by: null,
      from_checkpoint: null,
      webhook: given.webhook,
    },
    requested_by: given.by.id,
    metadata_json: JSON.stringify(given.metadata),
    kwargs_json: JSON.stringify(stored),
    multitask_strategy: given.strategy,
  };
  return { run, record, stored };
}
