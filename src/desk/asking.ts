import { digest, type Ledger, type Limit, type Take } from "../ledger/index.ts";
import { parseDuration, type Budget, type Group, type Verdict } from "../policy/index.ts";
import { windowStart } from "./allowed.ts";

/** Where a question comes from, for those who count. */
export interface Asker {
  thread_id: string;
  /** What is one run for the count, whatever resumes it has. */
  run: string;
}

/** How a question is put to people, with what it takes of budgets. */
export type Asking =
  | {
      kind: "ask";
      takes: Take[];
      limits: Limit[];
      /** Until when nobody is to be told. */
      quiet_until?: string;
      /** Who is asked in place of those whom policy names. */
      group?: Group;
    }
  /** Nobody is asked. */
  | { kind: "reject"; rule: "budget" | "asksPerRun"; reason: string };

/** When questions were asked that count at a limit, oldest first. */
export type Asked = (limit: Limit) => readonly string[];

/**
 * How a question is asked, given what was asked before. Pure.
 *
 * Of budgets that are used up the strictest `over` decides: reject before escalate before digest. A quiet question takes
 * nothing of any budget, also not later, when people are told of all that are quiet in one notice; of `asksPerRun` it
 * does. One that goes to another group takes of that group's budget in place of those that are used up.
 */
export function askingFor(verdict: Verdict, asker: Asker, at: string, asked: Asked): Asking {
  const run = runLimit(verdict, asker);
  if (!hasRoom(run, asked)) return { kind: "reject", rule: "asksPerRun", reason: runSpent(run.up_to) };
  const counted = countedFor(verdict, verdict.review.by, asker, at);
  const over = counted.filter(({ limit }) => !hasRoom(limit, asked));
  const [worst] = OVER.flatMap((kind) => over.filter(({ budget }) => budget.over === kind));
  if (worst === undefined) return { kind: "ask", ...taking([run, ...counted.map(({ limit }) => limit)]) };
  switch (worst.budget.over) {
    case "reject":
      return { kind: "reject", rule: "budget", reason: inWords(worst, at, asked) };
    case "digest": {
      const quiet_until = over.map((one) => freeAt(one, at, asked)).reduce((a, b) => (a > b ? a : b));
      return { kind: "ask", ...taking([run]), quiet_until };
    }
    case "escalate": {
      const [group] = verdict.review.escalate;
      const reject = { kind: "reject" as const, rule: "budget" as const, reason: inWords(worst, at, asked) };
      if (group === undefined) return reject;
      const others = countedFor(verdict, [[group.group]], asker, at).filter(isOfReviewers);
      if (!others.every(({ limit }) => hasRoom(limit, asked))) return reject;
      const left = counted.filter((one) => !isOfReviewers(one) && !over.includes(one));
      const limits = [run, ...[...left, ...others].map(({ limit }) => limit)];
      return { kind: "ask", ...taking(limits), group };
    }
  }
}

/** Looks up what was asked before of all that {@link askingFor} may want to know. */
export async function askedBefore(
  ledger: Ledger,
  verdict: Verdict,
  asker: Asker,
  at: string,
): Promise<Asked> {
  const [group] = verdict.review.escalate;
  const pools = [verdict.review.by, ...(group === undefined ? [] : [[[group.group]]])];
  const counted = pools.flatMap((by) => countedFor(verdict, by, asker, at));
  const limits = [runLimit(verdict, asker), ...counted.map(({ limit }) => limit)];
  const read = new Map<string, string[]>();
  for (const limit of limits)
    if (!read.has(keyOf(limit)))
      read.set(
        keyOf(limit),
        (await ledger.remembered.taken(limit)).map((one) => one.at),
      );
  return (limit) => read.get(keyOf(limit)) ?? [];
}

interface Counted {
  budget: Budget;
  limit: Limit;
}

/** From the strictest. */
const OVER: readonly Budget["over"][] = ["reject", "escalate", "digest"];

/** A run has no window: it counts from the user's message on. */
function runLimit({ repeat }: Verdict, { run }: Asker): Limit {
  return { meter: "asksPerRun", subject: digest(["run", run]), up_to: repeat.asksPerRun, since: "" };
}

function countedFor(verdict: Verdict, pool: string[][], asker: Asker, at: string): Counted[] {
  return verdict.budgets.map((budget) => {
    const whose = { reviewers: pool, thread: asker.thread_id, run: asker.run }[budget.by];
    const of = { meter: `asks:${budget.by}`, subject: digest([budget.by, whose]) };
    return { budget, limit: { ...of, up_to: budget.asks, since: windowStart(at, budget.per) } };
  });
}

function isOfReviewers({ budget }: Counted): boolean {
  return budget.by === "reviewers";
}

function hasRoom(limit: Limit, asked: Asked): boolean {
  return asked(limit).length < limit.up_to;
}

/** One of each meter, however many limits it has. */
function taking(limits: Limit[]): { takes: Take[]; limits: Limit[] } {
  const meters = new Map(limits.map(({ meter, subject }) => [meter, { meter, subject, amount: 1 }]));
  return { takes: [...meters.values()], limits };
}

/** When there is room for one more. Where there never is any, a window's length from now. */
function freeAt({ budget, limit }: Counted, at: string, asked: Asked): string {
  const times = asked(limit);
  const leaving = budget.asks === 0 ? at : (times[times.length - budget.asks] ?? at);
  return new Date(Date.parse(leaving) + parseDuration(budget.per)).toISOString();
}

function inWords({ budget, limit }: Counted, at: string, asked: Asked): string {
  const { asks, per, by } = budget;
  const where = { reviewers: "of the same reviewers", thread: "on this thread", run: "in this run" }[by];
  if (asks === 0) return `Policy lets no question be asked ${where}.`;
  const count = asked(limit).length;
  const many = count === 1 ? "1 question was" : `${count} questions were`;
  const until = freeAt({ budget, limit }, at, asked);
  return `${many} asked ${where} in the last ${per}, and policy allows ${asks}. There is room for another at ${until}.`;
}

function runSpent(asks: number): string {
  const many = asks === 1 ? "1 question, and that is all" : `${asks} questions, and that is as many as`;
  return `This run has asked ${many} it may. Make no more calls that need an approval: tell the user what is done and what is not, and wait for their answer.`;
}

function keyOf({ meter, subject, since }: Limit): string {
  return `${meter} ${subject} ${since}`;
}
