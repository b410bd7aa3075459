import type { z } from "zod";
import { isByPerson } from "./by-person.ts";
import type { Asked } from "./asked.ts";
import type { ReviewerFigures } from "./figures.ts";
import { groupBy, mostWithin, shareOf } from "./statistics.ts";
import { timeToDecide } from "./time-to-decide.ts";

const HOUR = 3_600_000;
/** Below so many decisions, a share says nothing. */
const ENOUGH = 30;
const NEARLY_ALL = 0.95;
const MOSTLY = 0.5;

/** How each reviewer fares, the busiest first. */
export function reviewersOf(asked: readonly Asked[]): z.infer<typeof ReviewerFigures>[] {
  const groups = groupBy(asked.filter(isByPerson), ({ decided_by }) =>
    JSON.stringify(decided_by?.id ?? null),
  );
  return [...groups]
    .map(([key, decided]) => figuresOf(JSON.parse(key) as string | null, decided))
    .sort((a, b) => b.decisions - a.decisions);
}

function figuresOf(reviewer: string | null, decided: Asked[]): z.infer<typeof ReviewerFigures> {
  const times = decided.map(({ decided_at }) => decided_at ?? 0);
  const approved = shareOf(decided.filter(({ status }) => status === "approved").length, decided.length);
  const time_to_decide = timeToDecide(decided);
  return {
    reviewer,
    decisions: decided.length,
    approved,
    most_per_hour: mostWithin(times, HOUR).most,
    most_per_10_minutes: mostWithin(times, HOUR / 6).most,
    time_to_decide,
    signs: decided.length < ENOUGH ? [] : signsOf(approved ?? 0, time_to_decide.too_quick ?? 0),
  };
}

function signsOf(approved: number, tooQuick: number): string[] {
  return [
    ...(approved >= NEARLY_ALL ? [`${percent(approved)} of the decisions are approvals`] : []),
    ...(tooQuick >= MOSTLY ? [`${percent(tooQuick)} took less time than the text needs`] : []),
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
