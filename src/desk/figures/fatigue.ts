import type { Ledger, LedgerEvent } from "../../ledger/index.ts";
import { askedIn, type Asked, type Saved } from "./asked.ts";
import { isByPerson } from "./by-person.ts";
import { causesOf, repeatedIn } from "./causes.ts";
import type { Fatigue } from "./figures.ts";
import { loadOf } from "./load.ts";
import { readWindow } from "./read-window.ts";
import { reviewersOf } from "./reviewers.ts";
import { groupBy, quantile, shareOf } from "./statistics.ts";
import { timeToDecide } from "./time-to-decide.ts";

const NONE: Fatigue["outcomes"] = {
  ...{ pending: 0, approved: 0, edited: 0, rejected: 0 },
  ...{ responded: 0, expired: 0, cancelled: 0, unavailable: 0 },
};

/** What a ledger says of how reviewers fared from `from` to `to`, in milliseconds since 1970. */
export async function readFatigue(ledger: Ledger, time: { from: number; to: number }): Promise<Fatigue> {
  const { events, isWhole } = await readWindow(ledger, time);
  return fatigueOf(events, { ...time, isWhole });
}

/** What events from `from` to `to`, in milliseconds since 1970, say of how reviewers fare. Pure. */
export function fatigueOf(
  events: readonly LedgerEvent[],
  { from, to, isWhole = true }: { from: number; to: number; isWhole?: boolean },
): Fatigue {
  const { asked, saved, rules } = askedIn(events);
  const decided = asked.filter(isByPerson);
  const outcomes = { ...NONE };
  for (const { status } of asked) outcomes[status] += 1;
  const perRun = [...groupBy(asked, ({ run }) => run).values()].map(({ length }) => length);
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    is_whole: isWhole,
    load: loadOf(
      asked.map(({ asked_at }) => asked_at),
      from,
      to,
    ),
    outcomes,
    approved: shareOf(decided.filter(({ status }) => status === "approved").length, decided.length),
    expired: shareOf(outcomes.expired, asked.length),
    repeated: shareOf(repeatedIn(asked), asked.length),
    per_run: { median: quantile(perRun, 0.5), most: Math.max(0, ...perRun) },
    time_to_decide: timeToDecide(decided),
    pending: pendingOf(asked, to),
    saved: { total: saved.length, by: savedBy(saved) },
    rules: [...rules].map(([id, calls]) => ({ id, calls })).sort((a, b) => b.calls - a.calls),
    causes: causesOf(asked),
    reviewers: reviewersOf(asked),
  };
}

function pendingOf(asked: readonly Asked[], now: number): Fatigue["pending"] {
  const ages = asked.filter(({ status }) => status === "pending").map(({ asked_at }) => now - asked_at);
  return { count: ages.length, median_age_ms: quantile(ages, 0.5), oldest_age_ms: quantile(ages, 1) };
}

function savedBy(saved: readonly Saved[]): Fatigue["saved"]["by"] {
  return [...groupBy(saved, (one) => JSON.stringify(one)).values()]
    .flatMap((group) => (group[0] ? [{ ...group[0], calls: group.length }] : []))
    .sort((a, b) => b.calls - a.calls);
}
