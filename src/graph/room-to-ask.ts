import type { Ledger } from "../ledger/index.ts";
import type { Entry } from "./entry.ts";

// Who asks on a thread, one after the other: calls of one turn that count at the same time would all find room.
const asking = new WeakMap<Ledger, Map<string, Promise<unknown>>>();

/**
 * Asks when there is room for another question on the thread. `ask` is told how many are open, when those are as many
 * as there may be. What it throws, such as the pause of a question, goes through.
 */
export async function withRoom(entry: Entry, ask: (most: number | null) => Promise<void>): Promise<void> {
  const { ledger, maxPending } = entry.parts;
  const { thread_id } = entry.target;
  return oneByOne(ledger, thread_id, async () => {
    const open = await ledger.countApprovals({ status: "pending", thread_id });
    return ask(open >= maxPending ? maxPending : null);
  });
}

async function oneByOne(ledger: Ledger, thread_id: string, work: () => Promise<void>): Promise<void> {
  const threads = asking.get(ledger) ?? new Map<string, Promise<unknown>>();
  asking.set(ledger, threads);
  const turn = (threads.get(thread_id) ?? Promise.resolve()).then(work);
  const settled = turn.catch(() => undefined);
  threads.set(thread_id, settled);
  try {
    await turn;
  } finally {
    if (threads.get(thread_id) === settled) threads.delete(thread_id);
  }
}
