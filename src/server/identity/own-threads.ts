import type { ThreadIds } from "../../ledger/sql/index.ts";
import type { Database } from "../../ledger/sql/index.ts";
import type { ServerTables, ThreadRow } from "../database/tables.ts";
import type { ServerParts } from "../parts.ts";
import { hasRole, seesAll, type Principal } from "./principal.ts";

type Owned = Pick<ThreadRow, "owner">;

/** Whether a thread is theirs. Nobody's threads, of a time when nobody said who they are, are nobody's. */
export function owns({ id }: Principal, { owner }: Owned): boolean {
  return id !== null && owner === id;
}

export function sees(principal: Principal, row: Owned): boolean {
  return seesAll(principal) || owns(principal, row);
}

/** Whose threads they see: `undefined` for everybody's. */
export function ownerSeenBy(principal: Principal): string | undefined {
  return seesAll(principal) ? undefined : (principal.id ?? "");
}

/** The threads that they see, as a query for the ledger; `undefined` for all. */
export function threadsSeenBy(database: Database, principal: Principal): ThreadIds | undefined {
  const owner = ownerSeenBy(principal);
  if (owner === undefined) return undefined;
  return database
    .builder<ServerTables>()
    .selectFrom("server_threads")
    .select("thread_id")
    .where("owner", "=", owner);
}

/** What a path may name. */
export interface Named {
  thread_id?: string | undefined;
  run_id?: string | undefined;
  approval_id?: string | undefined;
}

/** Whose the thread is that a path is about; `undefined` when there is no such thing. */
export async function ownerOf(
  { ports }: Pick<ServerParts, "ports">,
  { thread_id, run_id, approval_id }: Named,
): Promise<string | null | undefined> {
  const { threads, runs, registry, ledger } = ports;
  if (approval_id !== undefined) {
    const approval = await ledger.approval(approval_id);
    if (approval === null) return (await ledger.isErased(approval_id)) ? null : undefined;
    // The ledger keeps what it has of threads that are gone, and those are nobody's.
    return (await threads.get(approval.thread_id))?.owner ?? null;
  }
  const row = thread_id === undefined ? undefined : await threads.get(thread_id);
  if (row !== undefined || run_id === undefined) return row?.owner;
  // A run that had a thread of its own can be read a little longer than that.
  const run = registry.get(run_id) ?? (await runs.get(run_id));
  if (run === undefined || (thread_id !== undefined && run.thread_id !== thread_id)) return undefined;
  const runsThread = await threads.get(run.thread_id);
  return runsThread === undefined ? run.requested_by : runsThread.owner;
}

/** Those of some runs whose threads they may change. */
export async function ofOwnThreads<Of extends { thread_id: string }>(
  { ports }: Pick<ServerParts, "ports">,
  principal: Principal,
  all: readonly Of[],
): Promise<Of[]> {
  if (hasRole(principal)) return [...all];
  const own = new Set<string>();
  for (const thread_id of new Set(all.map((one) => one.thread_id))) {
    const row = await ports.threads.get(thread_id);
    if (row !== undefined && owns(principal, row)) own.add(thread_id);
  }
  return all.filter(({ thread_id }) => own.has(thread_id));
}
