import type { Call } from "./call.ts";
import { EMPTY_CHAIN, type Tip } from "./chain.ts";
import type { Batch } from "./ledger.ts";
import { indexable, seal, type Sealed } from "./seal.ts";

/** What batches are put upon: the ends of the chains and the calls as they are now. */
export interface Ground {
  head: Tip;
  threads: Map<string, Tip>;
  calls: Map<string, Call | null>;
}

/** Events of threads that belong to none of their calls, beside those of runs. */
const OF_NO_CALL: ReadonlySet<string> = new Set(["grant_revoked", "mode_set"]);

/**
 * Refuses what no ledger can write, before anything is read.
 *
 * @throws {TypeError} when two batches are of one call, an event needs a call, or an id cannot be stored.
 */
export function checkBatches(batches: Batch[]): void {
  const ids = batches.flatMap(({ call }) => (call ? [call.call_id] : []));
  if (new Set(ids).size < ids.length) throw new TypeError("Two batches are of the same call.");
  for (const { thread_id, run_id, call, events } of batches) {
    for (const text of [thread_id, run_id, call?.call_id]) {
      if (!text || indexable(text) === text) continue;
      throw new TypeError(`${JSON.stringify(text)} cannot be stored as an id.`);
    }
    if (events.some(({ type }) => type === "thread_erased"))
      throw new TypeError('An event "thread_erased" is written by erasing, and by nothing else.');
    const stray = call
      ? undefined
      : events.find(({ type }) => !type.startsWith("run_") && !OF_NO_CALL.has(type));
    if (stray) throw new TypeError(`An event "${stray.type}" needs the call that it belongs to.`);
  }
}

/**
 * Seals checked batches one upon the other.
 *
 * @throws {TypeError} when a batch is of another thread than its call, or its events cannot happen to the call.
 */
export function sealAll(batches: Batch[], ground: Ground): Sealed[] {
  let { head } = ground;
  const moved = new Map<string, Tip>();
  return batches.map((batch) => {
    const thread = moved.get(batch.thread_id) ?? ground.threads.get(batch.thread_id) ?? EMPTY_CHAIN;
    const call = batch.call ? (ground.calls.get(batch.call.call_id) ?? null) : null;
    const sealed = seal(batch, { head, thread }, call);
    head = sealed.head;
    moved.set(batch.thread_id, sealed.thread);
    return sealed;
  });
}
