import { z } from "zod";
import type { Call } from "./call.ts";

/** What a question takes of what may be taken: of an allowance the amount of the call, of a budget itself. */
export const Take = z.object({
  /** What is summed up, such as `allowance:small`. */
  meter: z.string(),
  /** Whose takes are summed up together, as a digest: the row outlives the thread that it came from. */
  subject: z.string(),
  amount: z.number().nonnegative(),
});
export type Take = z.infer<typeof Take>;

/** How much may be taken. */
export interface Limit {
  meter: string;
  subject: string;
  up_to: number;
  /** ISO 8601. What was taken then or before counts no longer. */
  since: string;
}

/** A take as the call that it belongs to has it. */
export interface CallTake extends Take {
  approval_id: string;
  at: string;
}

/** A take as a store keeps it, to be summed up. Follows from the events of its call, and outlives their erasure. */
export interface TakeRow extends CallTake {
  call_id: string;
  is_returned: 0 | 1;
}

/** What the questions of a call have taken, and whether it was given back. */
export function takeRows(call: Call): TakeRow[] {
  const { call_id, takes } = call;
  return takes.map((take) => ({ ...take, call_id, is_returned: isReturned(call, take.approval_id) ? 1 : 0 }));
}

/**
 * Whether a call that an allowance cleared gives back what it took: when it is certain that it had no effect, since it
 * failed, was blocked, or was answered without ever running. A question that was asked stays asked.
 */
function isReturned({ approvals, executions, result }: Call, approval_id: string): boolean {
  const approval = approvals.find((one) => one.approval_id === approval_id);
  if (approval?.decision?.decided_by.kind !== "allowance") return false;
  if (executions.length > 0) return executions.every(({ state }) => state === "failed");
  return approval.execution.state === "blocked" || result !== null;
}

/** The rows that a call has after some events, as far as they are new or other than before. */
export function takeChanges(
  before: Call | null,
  after: Call | null,
): { taken: TakeRow[]; settled: TakeRow[] } {
  if (after === null || after.takes.length === 0) return { taken: [], settled: [] };
  const known = before === null ? [] : takeRows(before);
  const rows = takeRows(after);
  const settled = rows.slice(0, known.length).filter((row, at) => row.is_returned !== known[at]?.is_returned);
  return { taken: rows.slice(known.length), settled };
}

/** Amounts that were taken so many times each. */
export interface Taken {
  amount: number;
  times: number;
}

/** Whether amounts stay within a limit. Summed up as they are written: ten times 0.1 is 1. */
export function isWithin(up_to: number, taken: readonly Taken[]): boolean {
  const most = decimal(up_to);
  const all = taken.map(({ amount, times }) => ({ ...decimal(amount), times: BigInt(times) }));
  const finest = Math.min(most.exponent, ...all.map(({ exponent }) => exponent));
  const whole = ({ digits, exponent }: Decimal): bigint => digits * 10n ** BigInt(exponent - finest);
  return all.reduce((sum, one) => sum + whole(one) * one.times, 0n) <= whole(most);
}

interface Decimal {
  digits: bigint;
  exponent: number;
}

/** A finite number as its shortest text has it: `0.25` is 25 with the exponent -2. */
function decimal(value: number): Decimal {
  const [mantissa = "0", power = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(`${whole}${fraction}`), exponent: Number(power) - fraction.length };
}
