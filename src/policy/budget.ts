import { formatDuration, parseDuration } from "./duration.ts";
import type { BudgetInput } from "./fatigue-document.ts";

/** How many questions people are asked, with every default filled in. */
export interface Budget {
  asks: number;
  per: string;
  by: "reviewers" | "thread" | "run";
  over: "reject" | "digest" | "escalate";
}

/** Fills in the defaults: counted for the same reviewers, and rejected beyond. */
export function fillBudget({ asks, per, by = "reviewers", over = "reject" }: BudgetInput): Budget {
  return { asks, per, by, over };
}

/** All of them, and of those that count the same in the same time the stricter one alone. */
export function unitedBudgets(...all: readonly Budget[]): Budget[] {
  const strict = new Map<string, Budget>();
  for (const one of all) {
    const key = `${one.by} ${parseDuration(one.per)}`;
    const known = strict.get(key);
    strict.set(key, known === undefined ? one : stricter(known, one));
  }
  return [...strict].sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0)).map(([, budget]) => budget);
}

/**
 * One budget that is no milder than either of two: the fewer questions in the longer time. Which questions count
 * together is as one of them says, `reviewers` before `thread` before `run`: the wider one counts more of them.
 */
export function strictestBudget(
  a: BudgetInput | undefined,
  b: BudgetInput | undefined,
): BudgetInput | undefined {
  const [one, other = one] = [a, b].filter((budget) => budget !== undefined).map(fillBudget);
  if (one === undefined || other === undefined) return undefined;

  const ms = Math.max(parseDuration(one.per), parseDuration(other.per));
  const by = BY.indexOf(one.by) <= BY.indexOf(other.by) ? one.by : other.by;
  return { ...stricter(one, other), per: formatDuration(ms), by };
}

const BY: readonly Budget["by"][] = ["reviewers", "thread", "run"];
const OVER: readonly Budget["over"][] = ["digest", "escalate", "reject"];

function stricter(a: Budget, b: Budget): Budget {
  const asks = Math.min(a.asks, b.asks);
  const over = OVER.indexOf(a.over) >= OVER.indexOf(b.over) ? a.over : b.over;
  return { asks, per: formatDuration(parseDuration(a.per)), by: a.by, over };
}
