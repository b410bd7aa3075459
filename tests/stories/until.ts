import { setTimeout as sleep } from "node:timers/promises";

/** Waits until something holds, looking often. On a busy machine a process takes its time. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = "it held",
  ms = 50_000,
): Promise<void> {
  const end = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`It took longer than ${ms} ms until ${what}.`);
    await sleep(25);
  }
}
