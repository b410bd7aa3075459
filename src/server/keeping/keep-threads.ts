import type { ServerParts } from "../parts.ts";
import { sweepThreads } from "./sweep-threads.ts";

const EVERY_MS = 60_000;

/**
 * Sweeps threads again and again, and lets what was deleted go from the disk. Returns how to stop; stopping waits for
 * the sweep under way.
 *
 * @param options.isMine whether this process is the one that does it for all.
 */
export function keepThreads(
  parts: ServerParts,
  { everyMs = EVERY_MS, isMine = () => true }: { everyMs?: number | undefined; isMine?: () => boolean } = {},
): () => Promise<void> {
  const { database, ports } = parts;
  let sweeping: Promise<void> = Promise.resolve();
  const sweep = async (): Promise<void> => {
    try {
      if (isMine()) await sweepThreads(parts);
      // Each process has its own to do: whoever deleted something may not be the one who sweeps.
      await database.scrub();
    } catch (error) {
      ports.onError(error);
    }
  };
  const timer = setInterval(() => {
    sweeping = sweeping.then(sweep);
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await sweeping;
  };
}
