import { digest, type Args, type Limit, type Take } from "../ledger/index.ts";
import { amountOf, parseDuration, type Allowance, type Verdict } from "../policy/index.ts";

/** What allowances let through, as long as there is room in all of them. */
export interface Allowed {
  /** The ids of the allowances. */
  id: string;
  takes: Take[];
  limits: Limit[];
  /** In words for the record. */
  reason: string;
}

/** A call as allowances see it. */
export interface Spending {
  verdict: Verdict;
  /** The arguments that reach the tool. */
  args: Args;
  thread_id: string;
  /** Who asked for it, as far as that is known. */
  user: string | null;
  /** ISO 8601. */
  at: string;
}

/**
 * What the allowances that name a call's tool would let it take, from each of them. `null` where it must be asked about
 * whatever room there is: none names the tool, or one of them cannot tell the amount or whose call it is, or the call
 * needs the word of particular people.
 *
 * Allowances of one id are one, in whichever policies on the store they stand: what one has let through is gone in all.
 */
export function allowedBy({ verdict, args, thread_id, user, at }: Spending): Allowed | null {
  const { allowances, review } = verdict;
  const isAnybodys = review.quorum === 1 && review.reviewers === null && !review.separateDuties;
  if (allowances.length === 0 || !isAnybodys) return null;
  const takes: Take[] = [];
  const limits: Limit[] = [];
  for (const allowance of allowances) {
    const amount = amountOf(allowance, args);
    const whose = { thread: thread_id, user, everyone: "" }[allowance.by];
    if (amount === undefined || whose === null) return null;
    const of = { meter: `allowance:${allowance.id}`, subject: digest([allowance.by, whose]) };
    takes.push({ ...of, amount });
    limits.push({ ...of, up_to: allowance.upTo, since: windowStart(at, allowance.per) });
  }
  const reason = allowances.map((one, index) => inWords(one, takes[index]?.amount ?? 0)).join(" ");
  return { id: allowances.map(({ id }) => id).join(", "), takes, limits, reason };
}

/** When a window of that length begins that ends at a time: what happened at its very beginning is out of it. */
export function windowStart(at: string, per: string): string {
  return new Date(Date.parse(at) - parseDuration(per)).toISOString();
}

function inWords({ id, upTo, per }: Allowance, amount: number): string {
  return `The allowance "${id}" lets ${upTo} through in ${per}, of which this is ${amount}.`;
}
