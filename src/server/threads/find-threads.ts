import type { ThreadRow, ThreadStatus } from "../database/tables.ts";
import type { ServerParts } from "../parts.ts";
import { matches } from "./matches.ts";
import { readNow, statusOf, viewThread } from "./thread-view.ts";
import type { ThreadQuery } from "./threads.ts";

/** Which threads are looked for. */
export interface ThreadFilter extends Partial<Pick<ThreadQuery, "ids" | "sort_by" | "sort_order">> {
  /** Only those of this owner. */
  owner?: string | undefined;
  status?: ThreadStatus | undefined;
  /** What their metadata must hold. */
  metadata?: Record<string, unknown> | undefined;
  /** What their newest state must hold. */
  values?: Record<string, unknown> | undefined;
}

/** The threads that match, in order. */
export async function findThreads(parts: ServerParts, filter: ThreadFilter): Promise<ThreadRow[]> {
  const { ports, manager } = parts;
  const { ids, owner, status, metadata = {}, values, sort_by = "created_at", sort_order = "desc" } = filter;
  const rows = await ports.threads.search({
    ...(ids && { ids }),
    ...(owner !== undefined && { owner }),
    ...{ sort_by, sort_order },
  });
  let found = rows.filter((row) => matches(JSON.parse(row.metadata_json), metadata));
  if (status !== undefined) {
    const asking = await threadsWithQuestions(parts);
    found = await kept(found, async (row) => (await statusNow(parts, row, asking)) === status);
  }
  if (values !== undefined)
    found = await kept(found, async (row) => {
      // As everybody sees it: to compare what is masked would tell it, guess by guess.
      const view = await viewThread(ports, row, manager.isLive(row.thread_id));
      return matches(view.values, values);
    });
  return found;
}

/** How a thread really stands. Its state is read only where the records alone do not say it. */
async function statusNow(
  { ports, manager }: ServerParts,
  row: ThreadRow,
  asking: ReadonlySet<string>,
): Promise<ThreadStatus> {
  const isBusy = row.status === "busy" || ports.leases.isWithOther(row);
  if (isBusy || manager.isLive(row.thread_id)) return "busy";
  if (asking.has(row.thread_id)) return "interrupted";
  if (row.status !== "interrupted") return row.status;
  // Questions that are not ours are in the state alone.
  return readNow(ports, row).then(
    (now) => statusOf(row, now, false),
    () => "error" as const,
  );
}

async function threadsWithQuestions({ ports }: ServerParts): Promise<Set<string>> {
  const asking = new Set<string>();
  let cursor: string | null = null;
  do {
    const query = { status: "pending" as const, limit: 1_000 };
    const page: Awaited<ReturnType<typeof ports.ledger.approvals>> = await ports.ledger.approvals(
      cursor === null ? query : { ...query, cursor },
    );
    for (const { thread_id } of page.approvals) asking.add(thread_id);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return asking;
}

async function kept(rows: ThreadRow[], keep: (row: ThreadRow) => Promise<boolean>): Promise<ThreadRow[]> {
  const found: ThreadRow[] = [];
  // One after the other: a state may be large.
  for (const row of rows) if (await keep(row)) found.push(row);
  return found;
}
