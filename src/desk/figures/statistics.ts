/** The value below which a share of the values lies, by the nearest rank; `null` of none. */
export function quantile(values: readonly number[], at: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(at * sorted.length) - 1)] ?? null;
}

/** A part of a whole, rounded to four digits; `null` of nothing. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : round(part / whole);
}

export function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** The largest number of times that lie within one stretch of the given length, which may begin anywhere. */
export function mostWithin(times: readonly number[], length: number): { most: number; from: number | null } {
  const sorted = [...times].sort((a, b) => a - b);
  let first = 0;
  let most = 0;
  let from: number | null = null;
  for (const [index, time] of sorted.entries()) {
    while (time - (sorted[first] ?? time) >= length) first += 1;
    if (index - first + 1 <= most) continue;
    most = index - first + 1;
    from = sorted[first] ?? null;
  }
  return { most, from };
}

/** The values of each key, in their order. */
export function groupBy<T>(values: readonly T[], key: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const name = key(value);
    const group = groups.get(name);
    if (group) group.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}
