import type { RiskOptions } from "./with-risk.ts";

/** How long a tool may take to stop after it was told to, in milliseconds. */
const GRACE_MS = 2_000;

/** A tool did not end in its time. */
export class TimedOut extends Error {
  /** Whether it ended after it was told to stop. If not, what it does cannot be told. */
  readonly hasStopped: boolean;
  constructor(timeoutMs: number, hasStopped: boolean) {
    const how = hasStopped ? "and was stopped" : "and did not stop when it was told to";
    super(`It did not end within ${timeoutMs / 1000} s ${how}.`);
    this.name = "TimedOut";
    this.hasStopped = hasStopped;
  }
}

/**
 * Runs a tool within its time, and again as often as its author allows when it fails. Only running counts: whatever
 * a person thought about was before.
 *
 * @throws {TimedOut} or what the last try threw.
 */
export async function runInTime(
  run: (signal: AbortSignal | undefined) => Promise<unknown>,
  { timeoutMs, retries = 0 }: RiskOptions,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  for (let left = retries; ; left -= 1) {
    try {
      return await (timeoutMs === undefined ? run(signal) : runOnce(run, timeoutMs, signal));
    } catch (error) {
      const isFinal = left <= 0 || signal?.aborted === true || isControlFlow(error) || isStillRunning(error);
      if (isFinal) throw error;
    }
  }
}

async function runOnce(
  run: (signal: AbortSignal) => Promise<unknown>,
  timeoutMs: number,
  outer: AbortSignal | undefined,
): Promise<unknown> {
  const stop = new AbortController();
  const signal = outer ? AbortSignal.any([outer, stop.signal]) : stop.signal;
  const running = run(signal);
  const timer = later(timeoutMs);
  try {
    const first = await Promise.race([running, timer.done]);
    if (first !== timer.mark) return first;
  } finally {
    timer.clear();
  }
  const told = new TimedOut(timeoutMs, false);
  stop.abort(told);
  const grace = later(GRACE_MS);
  try {
    // Whether it fails or still succeeds once told to stop, it has ended.
    const ended = running.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const end = await Promise.race([ended, grace.done]);
    if (typeof end !== "object" || end === null) throw told;
    if ("value" in end) return end.value;
    // LangChain's own wrapper gives up with our very words, at once and whether or not the tool has ended.
    throw "error" in end && end.error === told ? told : new TimedOut(timeoutMs, true);
  } finally {
    grace.clear();
  }
}

function later(ms: number): { done: Promise<unknown>; mark: symbol; clear: () => void } {
  const mark = Symbol("later");
  let timer: NodeJS.Timeout | undefined;
  const done = new Promise<unknown>((resolve) => (timer = setTimeout(() => resolve(mark), ms)));
  return { done, mark, clear: () => clearTimeout(timer) };
}

function isControlFlow(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && (error as { is_bubble_up?: boolean }).is_bubble_up === true
  );
}

function isStillRunning(error: unknown): boolean {
  return error instanceof TimedOut && !error.hasStopped;
}
