import type { Ledger } from "../ledger/index.ts";
import type { Desk } from "./desk.ts";

/** The longest time between two looks, in milliseconds: another process may have opened a question meanwhile. */
const LOOK_MS = 1_000;

/**
 * Keeps the deadlines of a ledger for as long as it runs: each pending question whose time is up is closed. Returns
 * how to stop; stopping waits for the look under way.
 *
 * @param options.isMine whether this process has that duty now. Without it, it always has.
 */
export function keepDeadlines(
  desk: Desk,
  ledger: Ledger,
  {
    clock = Date.now,
    onError,
    isMine = () => true,
  }: { clock?: () => number; onError: (error: unknown) => void; isMine?: () => boolean },
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let look: Promise<void> = Promise.resolve();

  const next = async (): Promise<number> => {
    if (!isMine()) return LOOK_MS;
    await desk.expireDue();
    const deadline = await ledger.nextDeadline();
    if (deadline === null) return LOOK_MS;
    return Math.min(LOOK_MS, Math.max(1, Date.parse(deadline) - clock()));
  };
  const run = (): void => {
    look = next()
      .catch((error: unknown) => {
        onError(error);
        return LOOK_MS;
      })
      .then((ms) => {
        // A process that has nothing else to do may end.
        if (!isStopped) timer = setTimeout(run, ms).unref();
      });
  };
  run();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await look;
  };
}
