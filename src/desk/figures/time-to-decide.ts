import type { z } from "zod";
import type { Asked } from "./asked.ts";
import type { TimeToDecide } from "./figures.ts";
import { quantile, shareOf } from "./statistics.ts";

/** What a decision needs at least, in milliseconds, whatever it is about. */
const FLOOR_MS = 2_000;
/** What reading 200 characters adds to that. */
const READ_MS = 1_000;
const READ_CHARACTERS = 200;
const MOST_MS = 10_000;

/** How long the text of a question takes to read at least, in milliseconds. An estimate that favours quick readers. */
export function readingTime(length: number, floor = FLOOR_MS): number {
  const more = Math.floor(length / READ_CHARACTERS) * READ_MS;
  return Math.max(floor, Math.min(MOST_MS, floor + more));
}

/** The time from shown to decided; `null` where nobody said that it was shown. */
export function latencyOf({ shown_at, decided_at }: Asked): number | null {
  return shown_at === null || decided_at === null ? null : Math.max(0, decided_at - shown_at);
}

export function timeToDecide(decided: readonly Asked[]): z.infer<typeof TimeToDecide> {
  const known = decided.flatMap((one) => {
    const ms = latencyOf(one);
    return ms === null ? [] : [{ ms, isQuick: ms < readingTime(one.length) }];
  });
  const all = known.map(({ ms }) => ms);
  return {
    known: known.length,
    unknown: decided.length - known.length,
    median_ms: quantile(all, 0.5),
    p95_ms: quantile(all, 0.95),
    too_quick: shareOf(known.filter(({ isQuick }) => isQuick).length, known.length),
  };
}
