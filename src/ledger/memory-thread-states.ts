import type { Batch } from "./ledger.ts";
import type { Sealed } from "./seal.ts";
import { evolveThread, NEW_THREAD, type ThreadState } from "./thread-state.ts";

/** What holds on the threads of a ledger in memory. */
export class MemoryThreadStates {
  readonly #states = new Map<string, ThreadState>();

  of(thread_id: string): ThreadState {
    return { ...(this.#states.get(thread_id) ?? NEW_THREAD) };
  }

  /** Whether the thread's mode is still the one that the writer of a batch saw, where that matters. */
  isModeAsSeen({ thread_id, mode_seen }: Batch): boolean {
    return mode_seen === undefined || this.of(thread_id).mode_seq === mode_seen;
  }

  write({ batch, events }: Sealed): void {
    this.#states.set(batch.thread_id, events.reduce(evolveThread, this.of(batch.thread_id)));
  }

  forget(thread_id: string): void {
    this.#states.delete(thread_id);
  }
}
