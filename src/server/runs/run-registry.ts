import type { Run } from "./run.ts";

/** How long the stream of an ended run can still be read, in milliseconds, and of how many runs at most. */
const KEPT_MS = 60_000;
const KEPT = 100;

/**
 * The runs of this process by id: those that wait or are live, and for a while those that have ended, so that a client
 * whose connection broke reads the rest.
 */
export class RunRegistry {
  readonly #runs = new Map<string, Run>();
  /** Ended runs, the oldest first, with the time of their end. */
  readonly #ended = new Map<Run, number>();

  add(run: Run): Run {
    this.#runs.set(run.run_id, run);
    void run.done.then(() => {
      this.#ended.set(run, Date.now());
      this.#sweep();
    });
    return run;
  }

  get(run_id: string): Run | undefined {
    this.#sweep();
    return this.#runs.get(run_id);
  }

  /** The known runs of a thread, the oldest first. */
  of(thread_id: string): Run[] {
    this.#sweep();
    return [...this.#runs.values()]
      .filter((run) => run.thread_id === thread_id)
      .toSorted((one, other) => (one.run_id < other.run_id ? -1 : 1));
  }

  /** Forgets the runs of a thread that was deleted. */
  forget(thread_id: string): void {
    for (const run of this.of(thread_id)) {
      this.#ended.delete(run);
      this.#runs.delete(run.run_id);
    }
  }

  // No timers: whoever comes by removes what is too old.
  #sweep(): void {
    for (const [run, ended] of this.#ended) {
      if (this.#ended.size <= KEPT && Date.now() - ended < KEPT_MS) return;
      this.#ended.delete(run);
      this.#runs.delete(run.run_id);
    }
  }
}
