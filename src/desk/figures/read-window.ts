import type { Ledger, LedgerEvent } from "../../ledger/index.ts";

/** More than this is not read for one answer. */
const MOST_EVENTS = 200_000;
const PAGE = 10_000;
/** How far the clocks of those who write may lie apart, in milliseconds. */
const SKEW_MS = 60_000;

/**
 * The events of a time, in milliseconds since 1970, and whether these are all of them; of too many the newest are left out.
 *
 * Events have places and are in the order of their times but for the writers' clocks, so in a large ledger where the
 * time begins is found by halving.
 */
export async function readWindow(
  ledger: Ledger,
  { from, to }: { from: number; to: number },
): Promise<{ events: LedgerEvent[]; isWhole: boolean }> {
  const events: LedgerEvent[] = [];
  const { seq: end } = await ledger.head();
  // A ledger that can be read whole is: clocks that are set by hand follow no order.
  let after = end <= MOST_EVENTS ? 0 : await placeOf(ledger, from - SKEW_MS, end);
  while (after < end) {
    const page = await ledger.events({ after, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) break;
    for (const event of page) {
      const at = Date.parse(event.at);
      if (at >= from && at <= to) events.push(event);
    }
    if (events.length >= MOST_EVENTS) return { events, isWhole: false };
    after = last.seq;
  }
  return { events, isWhole: true };
}

/** A place before the first event of a time. */
async function placeOf(ledger: Ledger, time: number, end: number): Promise<number> {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = await ledger.record({ after: middle, limit: 1 });
    if (event !== undefined && Date.parse(event.at) < time) low = event.seq;
    else high = middle;
  }
  return low;
}
