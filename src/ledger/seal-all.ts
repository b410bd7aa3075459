import type { Call } from "./call.ts";
import { EMPTY_CHAIN, type Tip } from "./chain.ts";
import type { Batch } from "./ledger.ts";
import { seal, type Sealed } from "./seal.ts";

/** What batches are put upon: the ends of the chains and the calls as they are now. */
export interface Ground {
  head: Tip;
  threads: Map<string, Tip>;
  calls: Map<string, Call | null>;
}

/**
 * Seals batches one upon the other.
 *
 * @throws {TypeError} when two batches are of one call, or events cannot belong where their batch says.
 */
export function sealAll(batches: Batch[], ground: Ground): Sealed[] {
  const ids = batches.flatMap(({ call }) => (call ? [call.call_id] : []));
  if (new Set(ids).size < ids.length) throw new TypeError("Two batches are of the same call.");
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
