import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { ReviewerAnswer, type Reviewer, type ReviewRequest } from "./reviewer.ts";

/** What came of asking a reviewer. Without a verdict, `error` says why. */
export interface Heard extends Omit<ReviewerAnswer, "type"> {
  verdict: ReviewerAnswer["type"] | null;
  took_ms: number;
  error?: string;
}

/** The longest that is kept of an error, in characters. */
const LONGEST_ERROR = 1_000;
/** Timers hold no more, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Asks one reviewer. What it throws, an answer that is none, and silence all come back as an `error`.
 *
 * @param timeout the time it has, in words.
 * @param run aborts with the run.
 * @throws the reason of the run's abort.
 */
export async function hearReviewer(
  reviewer: Reviewer,
  request: ReviewRequest,
  { timeoutMs, timeout, run }: { timeoutMs: number; timeout: string; run?: AbortSignal | undefined },
): Promise<Heard> {
  const begun = performance.now();
  const over = new AbortController();
  const stop = (): void => over.abort(run?.reason);
  run?.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(
    () => over.abort(new Error(`It did not answer within ${timeout}.`)),
    Math.min(timeoutMs, LONGEST_TIMER),
  );
  try {
    run?.throwIfAborted();
    const given = await inTime(ask(reviewer, request, over.signal), over.signal);
    return { ...heardIn(given), took_ms: since(begun) };
  } catch (error) {
    run?.throwIfAborted();
    const said = error instanceof Error ? error.message : String(error);
    return { verdict: null, error: said.slice(0, LONGEST_ERROR), took_ms: since(begun) };
  } finally {
    clearTimeout(timer);
    run?.removeEventListener("abort", stop);
    // Whoever was not waited for need not go on.
    over.abort();
  }
}

/**
 * Outside of the graph that waits for it: what a model of its own says must not show in the run's stream, and it has
 * no place there to pause at.
 */
async function ask(reviewer: Reviewer, request: ReviewRequest, signal: AbortSignal): Promise<unknown> {
  return AsyncLocalStorageProviderSingleton.getInstance().run(undefined, () => reviewer(request, { signal }));
}

function inTime<T>(given: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    given.then(resolve, reject);
  });
}

function heardIn(given: unknown): Omit<Heard, "took_ms"> {
  const read = ReviewerAnswer.safeParse(given);
  if (!read.success) return { verdict: null, error: `Its answer is none: ${read.error.issues[0]?.message}.` };
  const { type, ...rest } = read.data;
  return { verdict: type, ...rest };
}

function since(begun: number): number {
  return Math.round(performance.now() - begun);
}
