/** More questions than this in {@link WINDOW_MS} begin a flood; fewer than {@link END} end it. Alarm management's figures. */
const BEGIN = 10;
const END = 5;
const WINDOW_MS = 600_000;

/** Stretches in which more questions came than anybody can weigh, given their times in milliseconds since 1970. */
export function floodsIn(times: readonly number[]): { from: number; to: number }[] {
  const steps = times
    .flatMap((time) => [
      { at: time, by: 1 },
      { at: time + WINDOW_MS, by: -1 },
    ])
    // What leaves the window at a time leaves before something else comes in.
    .sort((a, b) => a.at - b.at || a.by - b.by);
  const floods: { from: number; to: number }[] = [];
  let open = 0;
  let from: number | null = null;
  for (const { at, by } of steps) {
    open += by;
    if (from === null && open > BEGIN) from = at;
    else if (from !== null && open < END) {
      floods.push({ from, to: at });
      from = null;
    }
  }
  return floods;
}
