import type { Ledger } from "../ledger/index.ts";
import { optionsOf, type ApprovalGraph } from "./door.ts";
import { currentHost, defaultLedger } from "./host.ts";

/** The ledger and the clock that a graph works with. */
export async function ledgerOf(graph: ApprovalGraph): Promise<{ ledger: Ledger; clock: () => number }> {
  const { ledger, clock } = optionsOf(graph);
  return { ledger: ledger ?? (await defaultLedger()), clock: clock ?? currentHost()?.clock ?? Date.now };
}
