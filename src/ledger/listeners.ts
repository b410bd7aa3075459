import type { LedgerEvent } from "./event.ts";

type Listener = (events: LedgerEvent[]) => void;

/** Those who hear of written events. None of them can disturb the writer. */
export class Listeners {
  readonly #all = new Set<Listener>();

  add(listener: Listener): () => void {
    // Wrapped, so that one function that listens twice is told twice and stops once.
    const own: Listener = (events) => listener(events);
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  tell(events: LedgerEvent[]): void {
    if (events.length === 0) return;
    for (const listener of [...this.#all]) {
      try {
        listener(events);
      } catch {
        // The events are written: what a listener makes of them cannot undo that.
      }
    }
  }

  clear(): void {
    this.#all.clear();
  }
}
