import { EMPTY_CHAIN, type Tip } from "./chain.ts";
import type { Erasure } from "./ledger.ts";
import { sealAll } from "./seal-all.ts";
import type { Sealed } from "./seal.ts";

/** The kind of event that erases the ones before it in its thread, and is not erased itself. */
export const ERASURE = "thread_erased";

/** The event that says that `count` payloads of a thread were erased, with its place in the chains. Pure. */
export function sealErasure(
  thread_id: string,
  { at, by }: Erasure,
  { head, thread, count }: { head: Tip; thread: Tip | undefined; count: number },
): Sealed {
  const events = [{ type: ERASURE, data: { events: count, by } } as const];
  const threads = new Map([[thread_id, thread ?? EMPTY_CHAIN]]);
  const [sealed] = sealAll([{ at, thread_id, run_id: null, call: null, events }], {
    ...{ head, threads, calls: new Map() },
  });
  return sealed as Sealed;
}
