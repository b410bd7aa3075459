import { checkIndexes } from "./check-indexes.ts";
import type { Verification } from "./ledger.ts";
import { paged, type Snapshot } from "./snapshot.ts";
import { Walk } from "./walk.ts";

/**
 * Checks both chains, what the tips say, and that the indexes agree with the events.
 *
 * With `thread_id` the snapshot holds that thread only, and the chain over all threads is not checked.
 */
export async function verify(
  snapshot: Snapshot,
  options: { head?: string; thread_id?: string } = {},
): Promise<Verification> {
  const isWhole = options.thread_id === undefined;
  const walk = new Walk(isWhole, options.head);
  for await (const page of paged(
    (after: number) => snapshot.events(after),
    0,
    (row) => row.seq,
  )) {
    for (const row of page) walk.event(row);
  }
  walk.endErasures();
  const head = await snapshot.head();
  if (isWhole) walk.end(head);
  for await (const page of paged(
    (after: string) => snapshot.threads(after),
    "",
    (row) => row.thread_id,
  )) {
    for (const tip of page) walk.tip(tip);
  }
  walk.threadsWithoutTip();
  await checkIndexes(snapshot, walk);
  if (options.head !== undefined && !walk.sawHead && (isWhole || !(await snapshot.hasHead(options.head)))) {
    walk.fault(null, null, `${options.head} never was the head: what led to it is gone or was rewritten`);
  }
  const { broken, threads, events, erased } = walk;
  return { ok: broken.length === 0, threads: threads.size, events, erased, head: head.hash, broken };
}
