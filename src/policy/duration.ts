const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_MS = 3_650 * UNITS.d;

export const DURATION_PATTERN = /^[1-9][0-9]{0,8}[smhd]$/;

/**
 * Milliseconds of a duration such as `"30s"`, `"15m"`, `"4h"` or `"7d"`: a whole number above zero and one unit.
 *
 * @throws {RangeError} when the text is no duration or longer than ten years
 */
export function parseDuration(text: string): number {
  if (!DURATION_PATTERN.test(text)) {
    throw new RangeError(
      `"${text.slice(0, 40)}" is no duration; write a whole number and s, m, h or d, like "15m"`,
    );
  }
  const unit = text.slice(-1) as keyof typeof UNITS;
  const ms = Number(text.slice(0, -1)) * UNITS[unit];
  if (ms > LONGEST_MS) throw new RangeError(`"${text}" is longer than 3650d, the longest duration`);
  return ms;
}

/** The shortest text that `parseDuration` reads back: `900000` is `"15m"`. Parts of a second are rounded up. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / UNITS.s));
  for (const unit of ["d", "h", "m"] as const) {
    const size = UNITS[unit] / UNITS.s;
    if (seconds % size === 0) return `${seconds / size}${unit}`;
  }
  return `${seconds}s`;
}
