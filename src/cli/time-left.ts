const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long until a time, in two units: `23 h 59 min`. */
export function timeLeft(expiresAt: string | null, now = Date.now()): string {
  if (expiresAt === null) return "no limit";
  const left = Date.parse(expiresAt) - now;
  if (Number.isNaN(left)) return "unknown";
  return left <= 0 ? "none" : span(left);
}

function span(ms: number): string {
  const parts: [number, string][] = [
    [Math.floor(ms / DAY), "d"],
    [Math.floor((ms % DAY) / HOUR), "h"],
    [Math.floor((ms % HOUR) / MINUTE), "min"],
    [Math.floor((ms % MINUTE) / SECOND), "s"],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first === -1) return "under 1 s";
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ");
}
