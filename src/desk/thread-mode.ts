import type { DecidedBy, Ledger } from "../ledger/index.ts";
import { strictestMode, type Mode } from "../policy/index.ts";
import { DeskError } from "./error.ts";
import { isoTime } from "./ports.ts";

/** The mode of a thread. */
export interface ThreadMode {
  /** What holds on it, unless its policy or its run say something stricter. */
  mode: Mode;
  /** What was set on the thread itself; `null` when nobody has. */
  own: Mode | null;
}

/** The mode that a thread has of its own. */
export async function modeOfThread(ledger: Ledger, thread_id: string): Promise<ThreadMode> {
  const { mode } = await ledger.thread(thread_id);
  return { mode: mode ?? "interactive", own: mode };
}

/**
 * Sets the mode of a thread from the next judgement on. Questions that are open stay open. With `onlyTighten` it is
 * refused where the thread has a stricter one, whoever set that and however lately.
 *
 * @throws {DeskError} `forbidden`
 */
export async function setThreadMode(
  ledger: Ledger,
  clock: () => number,
  { thread_id, mode, by, onlyTighten = false }: SetMode,
): Promise<ThreadMode> {
  for (;;) {
    const { mode: own, mode_seq } = await ledger.thread(thread_id);
    if (own === mode) break;
    if (onlyTighten && strictestMode(mode, own ?? "interactive") !== mode)
      throw new DeskError(
        "forbidden",
        `The mode of this thread is "${own}", and only a reviewer may lift it to "${mode}".`,
      );
    const events = [{ type: "mode_set" as const, data: { mode, by } }];
    const batch = { at: isoTime(clock), thread_id, run_id: null, call: null, events };
    if ((await ledger.append({ ...batch, mode_seen: mode_seq })).ok) break;
  }
  return modeOfThread(ledger, thread_id);
}

export interface SetMode {
  thread_id: string;
  mode: Mode;
  by: DecidedBy;
  onlyTighten?: boolean;
}
