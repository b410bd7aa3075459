import { DeskError, openDesk } from "../desk/index.ts";
import { maskApproval, type Approval } from "../ledger/index.ts";
import type { Answer, Entry } from "./entry.ts";

/** So many answers in a row that are not valid come from something that cannot be told. */
const MOST_REFUSED = 20;

/**
 * Asks the person in process and writes what they decided. Ends without them when the time is up, when the question
 * is settled elsewhere, or when the run is aborted (then it is `cancelled`). An answer that is not valid is asked for
 * again, with what was wrong; an `answer` function that throws, or that never learns, leaves the call `unavailable`.
 */
export async function askInProcess(entry: Entry, approval: Approval): Promise<void> {
  const { ledger, clock } = entry.parts;
  const { approval_id } = approval;
  const desk = openDesk(ledger, { clock, masksOf: () => entry.masks() });
  const over = new AbortController();
  const settledElsewhere = watch(entry, approval_id, over.signal);
  let deadline = timer(left(approval, clock), over.signal);
  const aborted = onAbort(entry.config.signal, over.signal);
  const refused: string[] = [];
  let given: ReturnType<typeof ask> | undefined;
  try {
    for (;;) {
      given ??= whenTold(approval, clock, over.signal).then(() =>
        ask(entry, approval, { signal: over.signal, ...told(refused) }),
      );
      const next = await Promise.race([given, settledElsewhere, deadline, aborted]);
      if (next.kind === "settled") return;
      if (next.kind === "late") {
        await entry.change(closing(approval_id, "expired", "timeout"));
        const now = entry.call?.approvals.find((one) => one.approval_id === approval_id);
        if (now?.status !== "pending") return;
        // It has gone on to others with a new clock, and whoever is asked here may be one of them.
        deadline = timer(left(now, clock), over.signal);
        continue;
      }
      if (next.kind === "aborted") {
        await entry.change(closing(approval_id, "cancelled", "system"));
        return;
      }
      given = undefined;
      try {
        await desk.decide(approval_id, next.decision);
        return;
      } catch (error) {
        if (!(error instanceof DeskError) || error.code !== "invalid_decision") throw error;
        refused.push(error.message);
        if (refused.length >= MOST_REFUSED)
          throw new Error(`${MOST_REFUSED} answers were not valid. The last one: ${error.message}`);
      }
    }
  } catch (error) {
    if (!(error instanceof DeskError) || error.code === "forbidden") {
      await entry.change({
        ...closing(approval_id, "unavailable", "system"),
        reason: (error as Error).message,
      });
    }
  } finally {
    over.abort();
    await entry.read();
  }
}

async function ask(
  entry: Entry,
  approval: Approval,
  options: Parameters<Answer>[1],
): Promise<{ kind: "given"; decision: unknown }> {
  const { answer } = entry.parts;
  if (answer === undefined) throw new Error("Nobody is there to answer.");
  return { kind: "given", decision: await answer(maskApproval(approval, entry.masks()), options) };
}

/** Whoever is asked in process is told at the earliest when a quiet question may be told of. */
async function whenTold({ quiet_until }: Approval, clock: () => number, signal: AbortSignal): Promise<void> {
  if (quiet_until !== undefined) await timer(Date.parse(quiet_until) - clock(), signal);
}

function left({ expires_at }: Approval, clock: () => number): number | null {
  return expires_at === null ? null : Date.parse(expires_at) - clock();
}

function told(refused: readonly string[]): { refused?: string } {
  const last = refused.at(-1);
  return last === undefined ? {} : { refused: last };
}

function closing(
  approval_id: string,
  status: "expired" | "cancelled" | "unavailable",
  kind: "timeout" | "system",
): { type: "close"; approval_id: string; status: typeof status; by: { kind: typeof kind } } {
  return { type: "close", approval_id, status, by: { kind } };
}

async function watch(entry: Entry, approval_id: string, signal: AbortSignal): Promise<{ kind: "settled" }> {
  const desk = openDesk(entry.parts.ledger, { clock: entry.parts.clock });
  for (;;) {
    const { status } = await desk.get(approval_id, { waitMs: 1_000 });
    if (status !== "pending" || signal.aborted) return { kind: "settled" };
  }
}

function timer(ms: number | null, signal: AbortSignal): Promise<{ kind: "late" }> {
  return new Promise((resolve) => {
    if (ms === null) return;
    // Timers hold at most about 24 days; longer ones are started again.
    const wait = (left: number): void => {
      const step = Math.min(left, 2 ** 31 - 1);
      const handle = setTimeout(
        () => (left > step ? wait(left - step) : resolve({ kind: "late" })),
        Math.max(0, step),
      );
      signal.addEventListener("abort", () => clearTimeout(handle), { once: true });
    };
    wait(ms);
  });
}

function onAbort(run: AbortSignal | undefined, over: AbortSignal): Promise<{ kind: "aborted" }> {
  return new Promise((resolve) => {
    if (run === undefined) return;
    const stop = (): void => resolve({ kind: "aborted" });
    if (run.aborted) return stop();
    run.addEventListener("abort", stop, { once: true });
    over.addEventListener("abort", () => run.removeEventListener("abort", stop), { once: true });
  });
}
