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
  const [left = [], right = []] = await inTurn(rounds, warmup, [first, second]);
  return [figures(left), figures(right)];
}

/** Runs each in turn, round by round, and gives the samples of each. */
export async function inTurn<Sample>(
  rounds: number,
  warmup: number,
  works: readonly (() => Promise<Sample>)[],
): Promise<Sample[][]> {
  const samples = works.map((): Sample[] => []);
  for (let round = 0; round < rounds + warmup; round += 1) {
    for (let turn = 0; turn < works.length; turn += 1) {
      // Who goes first changes, so that none always finds the caches warm.
      const which = (turn + round) % works.length;
      const sample = await works[which]?.();
      if (round >= warmup && sample !== undefined) samples[which]?.push(sample);
    }
  }
  return samples;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export const ms = (value: number): string => value.toFixed(2).padStart(7);
