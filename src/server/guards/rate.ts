/** How many clients are remembered. Those that have been quiet longest are forgotten first. */
const KEPT = 10_000;
const MINUTE_MS = 60_000;

interface Budget {
  left: number;
  at: number;
}

/** Counts what clients do, so that nobody does more than so much in a minute. */
export class Rate {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #budgets = new Map<string, Budget>();

  /** @param now milliseconds, of a clock that only goes forward. */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Takes one from a client's budget; else, after how many seconds there is one again. `null`: it was taken. */
  take(client: string): number | null {
    const at = this.#now();
    const known = this.#budgets.get(client) ?? { left: this.#perMinute, at };
    const refilled = known.left + ((at - known.at) * this.#perMinute) / MINUTE_MS;
    const left = Math.min(this.#perMinute, refilled);
    const isThere = left >= 1;
    this.#keep(client, { left: isThere ? left - 1 : left, at });
    return isThere ? null : Math.ceil(((1 - left) * MINUTE_MS) / this.#perMinute / 1_000);
  }

  #keep(client: string, budget: Budget): void {
    // Behind all others: the first ones are those that have been quiet longest.
    this.#budgets.delete(client);
    this.#budgets.set(client, budget);
    for (const oldest of this.#budgets.keys()) {
      if (this.#budgets.size <= KEPT) return;
      this.#budgets.delete(oldest);
    }
  }
}
