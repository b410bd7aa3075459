import type { Batch } from "../ledger.ts";
import type { Sealed } from "../seal.ts";
import { concernsThread, evolveThread, NEW_THREAD, type ThreadState } from "../thread-state.ts";
import type { Dialect, Work } from "./database.ts";
import { Operation } from "./operation.ts";
import type { ThreadStateRow } from "./tables.ts";

interface OfThread {
  thread_id: string;
}

/** What holds on a thread beside its calls. */
export function* readThreadState(dialect: Dialect, thread_id: string): Work<ThreadState> {
  return (yield* stateOf.row(dialect, { thread_id })) ?? NEW_THREAD;
}

/** Writes what the events of a batch do to their thread. */
export function* writeThreadState(dialect: Dialect, { batch, events }: Sealed): Work<void> {
  if (!events.some(concernsThread)) return;
  const { thread_id } = batch;
  const before = yield* readThreadState(dialect, thread_id);
  yield* putState.rows(dialect, { thread_id, ...events.reduce(evolveThread, before) });
}

/** Whether the thread's mode is still the one that the writer saw, where that matters. */
export function* isModeAsSeen(dialect: Dialect, { thread_id, mode_seen }: Batch): Work<boolean> {
  if (mode_seen === undefined) return true;
  return (yield* readThreadState(dialect, thread_id)).mode_seq === mode_seen;
}

const stateOf = new Operation((build, { thread_id }: OfThread) =>
  build
    .selectFrom("ledger_thread_states")
    .select(["mode", "mode_seq", "rejected", "rejected_in_row"])
    .where("thread_id", "=", thread_id),
);

const putState = new Operation((build, given: ThreadStateRow) => {
  const { thread_id, mode, mode_seq, rejected, rejected_in_row } = given;
  const state = { mode, mode_seq, rejected, rejected_in_row };
  return build
    .insertInto("ledger_thread_states")
    .values({ thread_id, ...state })
    .onConflict((conflict) =>
      conflict.column("thread_id").doUpdateSet((put) => ({
        mode: put.ref("excluded.mode"),
        mode_seq: put.ref("excluded.mode_seq"),
        rejected: put.ref("excluded.rejected"),
        rejected_in_row: put.ref("excluded.rejected_in_row"),
      })),
    );
});

export const dropState = new Operation((build, { thread_id }: OfThread) =>
  build.deleteFrom("ledger_thread_states").where("thread_id", "=", thread_id),
);
