import type { Entry } from "./event.ts";

/**
 * The newest events of a thread in their order. It holds those of the run that goes on and of the one before it: who
 * comes late or comes again reads them from there.
 */
export class EventLog {
  #entries: Entry[] = [];
  /** How many were forgotten. */
  #gone = 0;
  /** Where runs begin. */
  #marks: number[] = [];
  readonly #listeners = new Set<(entry: Entry) => void>();

  append(entry: Entry): void {
    this.#entries.push(entry);
    for (const listener of [...this.#listeners]) listener(entry);
  }

  /** A run begins: what is older than the run before it is forgotten. */
  mark(): void {
    this.#marks = [...this.#marks.slice(-1), this.#gone + this.#entries.length];
    const [before, now] = this.#marks;
    if (before === undefined || now === undefined) return;
    this.#entries = this.#entries.slice(before - this.#gone);
    this.#gone = before;
  }

  all(): readonly Entry[] {
    return this.#entries;
  }

  /** Calls `listener` for each event from now on. Returns what ends that. */
  listen(listener: (entry: Entry) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reads from the oldest event on, and then as they come, until `signal` aborts. */
  async *read(signal: AbortSignal): AsyncGenerator<Entry> {
    let next = this.#gone;
    let wake = (): void => undefined;
    const stop = this.listen(() => wake());
    const onAbort = (): void => wake();
    signal.addEventListener("abort", onAbort);
    try {
      while (!signal.aborted) {
        next = Math.max(next, this.#gone);
        const entry = this.#entries[next - this.#gone];
        if (entry) {
          next += 1;
          yield entry;
        } else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      stop();
      signal.removeEventListener("abort", onAbort);
    }
  }
}
