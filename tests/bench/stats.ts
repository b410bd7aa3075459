/** Figures of a series of measurements, in milliseconds. */
export interface Figures {
  n: number;
  median: number;
  p95: number;
}

export function figures(samples: readonly number[]): Figures {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
  return { n: sorted.length, median: at(0.5), p95: at(0.95) };
}

/** Runs both in turn, so that whatever else the machine does falls on both alike. Returns milliseconds. */
export async function alternate(
  rounds: number,
  warmup: number,
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<[Figures, Figures]> {
  const samples: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds + warmup; round += 1) {
    // Who goes first changes, so that neither always finds the caches warm.
    const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    for (const which of order) {
      const ms = await (which === 0 ? first() : second());
      if (round >= warmup) samples[which].push(ms);
    }
  }
  return [figures(samples[0]), figures(samples[1])];
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export const ms = (value: number): string => value.toFixed(2).padStart(7);
