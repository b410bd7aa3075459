import { isIPv6 } from "node:net";

const WINDOW_MS = 60_000;
/** How many credentials may fail in that time. */
const MOST = 10;
/** How many addresses are remembered, so that nobody fills the memory. */
const KEPT = 10_000;

/** Counts credentials that failed, by address. Those that are good are never held up. */
export class Failures {
  readonly #clock: () => number;
  readonly #times = new Map<string, number[]>();

  /** @param clock milliseconds, of a clock that only goes forward. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Notes a failure. Gives the seconds to wait where there were too many; then it is not counted. */
  add(address: string): number | null {
    const key = networkOf(address);
    const now = this.#clock();
    const times = (this.#times.get(key) ?? []).filter((time) => now - time < WINDOW_MS);
    const [oldest = now] = times;
    if (times.length >= MOST) return Math.max(1, Math.ceil((WINDOW_MS - (now - oldest)) / 1_000));
    // Behind all others: the first ones are those that failed longest ago.
    this.#times.delete(key);
    this.#times.set(key, [...times, now]);
    for (const first of this.#times.keys()) {
      if (this.#times.size <= KEPT) break;
      this.#times.delete(first);
    }
    return null;
  }
}

/** Whoever has one IPv6 address has its whole /64. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(plain)) return plain;
  const [head = "", tail = ""] = plain.split("%", 1)[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail === "" ? [] : tail.split(":");
  const zeros = plain.includes("::") ? 8 - left.length - right.length : 0;
  return [...left, ...Array.from({ length: zeros }, () => "0"), ...right].slice(0, 4).join(":");
}
