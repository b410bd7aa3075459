import type { Ledger, LedgerEvent } from "../../ledger/index.ts";

const PAGE = 1_000;

/** Hears of what other processes wrote to the ledger. Whoever writes here is heard of at once, without it. */
export class Tail {
  readonly #ledger: Ledger;
  /** Events of this process that were not passed yet. */
  readonly #own = new Set<number>();
  readonly #listeners = new Set<(events: LedgerEvent[]) => void>();
  #seen = 0;
  #stop: () => void = () => undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Begins behind what is there. */
  async open(): Promise<void> {
    this.#stop = this.#ledger.subscribe((events) => {
      for (const { seq } of events) this.#own.add(seq);
    });
    this.#seen = (await this.#ledger.head()).seq;
  }

  /** Looks for news. */
  async look(): Promise<void> {
    for (;;) {
      const { seq: newest } = await this.#ledger.head();
      if (newest <= this.#seen) return;
      const own = [...this.#own].filter((seq) => seq <= newest).length;
      if (own === newest - this.#seen) {
        // All of it was written here, which is what happens most.
        this.#pass(newest);
        return;
      }
      const events = await this.#ledger.events({ after: this.#seen, limit: PAGE });
      const last = events.at(-1)?.seq;
      if (last === undefined) return;
      const foreign = events.filter(({ seq }) => !this.#own.has(seq));
      this.#pass(last);
      if (foreign.length > 0) for (const listener of [...this.#listeners]) listener(foreign);
    }
  }

  subscribe(listener: (events: LedgerEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop();
    this.#listeners.clear();
  }

  #pass(seq: number): void {
    this.#seen = seq;
    for (const one of this.#own) if (one <= seq) this.#own.delete(one);
  }
}
