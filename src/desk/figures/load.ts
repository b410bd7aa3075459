import type { z } from "zod";
import { floodsIn } from "../flood.ts";
import type { Load } from "./figures.ts";
import { mostWithin, round } from "./statistics.ts";

const HOUR = 3_600_000;

/** How often people were asked from `from` to `to`, given when. All in milliseconds since 1970. */
export function loadOf(times: readonly number[], from: number, to: number): z.infer<typeof Load> {
  const hours = Math.max(1, Math.ceil((to - from) / HOUR));
  const perHour = Array.from({ length: hours }, () => 0);
  for (const time of times) {
    const hour = Math.min(hours - 1, Math.max(0, Math.floor((time - from) / HOUR)));
    perHour[hour] = (perHour[hour] ?? 0) + 1;
  }
  const busiest = mostWithin(times, HOUR);
  const floods = floodsIn([...times]);
  const flooded = floods.reduce((sum, flood) => sum + (flood.to - flood.from), 0);
  return {
    asks: times.length,
    per_hour: round(times.length / Math.max((to - from) / HOUR, 1 / 60)),
    busiest_hour: busiest.from === null ? null : { from: iso(busiest.from), asks: busiest.most },
    hours_over_6: perHour.filter((asks) => asks > 6).length,
    hours_over_12: perHour.filter((asks) => asks > 12).length,
    last_120_minutes: times.filter((time) => time > to - 2 * HOUR).length,
    floods: floods.map((flood) => ({ from: iso(flood.from), to: iso(flood.to) })),
    flood_share: round(flooded / Math.max(to - from, 1)),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
