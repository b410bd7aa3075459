import { isoTime } from "../../desk/index.ts";
import { lastApproval } from "../../ledger/index.ts";
import type { RunManager } from "./run-manager.ts";
import type { RunPorts } from "./run-ports.ts";
import type { RunRow, ThreadRow } from "../database/tables.ts";
import { ServerError } from "../problem.ts";
import { readNow, statusOf } from "../threads/thread-view.ts";

/**
 * Lets go on what an earlier process left: threads whose run was cut off, and threads with a decision that nothing
 * acted upon. One thread that cannot be recovered does not keep the others from it.
 */
export async function recover(ports: RunPorts, manager: RunManager): Promise<void> {
  for (const row of await leftThreads(ports)) {
    try {
      if (row.status === "busy") await closeLeft(ports, row);
      const goesOn = await manager.recover(row);
      if (!goesOn && row.status === "busy") await settle(ports, row);
    } catch (error) {
      ports.onError(error);
      if (row.status === "busy" && error instanceof ServerError && error.code === "unreadable_state")
        await giveUp(ports, row, error).catch((failure: unknown) => ports.onError(failure));
    }
  }
}

async function leftThreads(ports: RunPorts): Promise<ThreadRow[]> {
  const { threads, runs, ledger } = ports;
  const busy = await threads.search({ status: "busy", sort_by: "updated_at", sort_order: "asc" });
  const known = new Set(busy.map(({ thread_id }) => thread_id));
  const decided = (await ledger.openCalls(undefined, { onTampered: (error) => ports.onError(error) })).filter(
    (call) => {
      const approval = lastApproval(call);
      return approval !== undefined && approval.status !== "pending";
    },
  );
  const more: ThreadRow[] = [];
  for (const thread_id of new Set(decided.map((call) => call.thread_id))) {
    const row = known.has(thread_id) ? undefined : await threads.get(thread_id);
    // What was cancelled stays where it was.
    if (row?.run_id && (await runs.get(row.run_id))?.status !== "cancelled") more.push(row);
  }
  return [...busy, ...more];
}

async function closeLeft({ runs, ledger, clock }: RunPorts, { thread_id, run_id }: ThreadRow): Promise<void> {
  const at = isoTime(clock);
  const run = run_id === null ? undefined : await runs.get(run_id);
  if (run?.status !== "running") return;
  const data = { status: "drained", error: "The server stopped before the run's end." };
  if (!(await hasEnded(ledger, run)))
    await ledger.append({ at, thread_id, run_id, call: null, events: [{ type: "run_stopped", data }] });
  await runs.endLeft(thread_id, at);
}

/** Whether the ledger has the run's end already, or not even its beginning. */
async function hasEnded(ledger: RunPorts["ledger"], { thread_id, run_id }: RunRow): Promise<boolean> {
  let isOpen = false;
  let after = 0;
  for (;;) {
    const events = await ledger.events({ thread_id, after });
    for (const event of events.filter((one) => one.run_id === run_id)) {
      if (event.type === "run_started") isOpen = true;
      if (event.type === "run_stopped") return true;
    }
    const last = events.at(-1);
    if (last === undefined) return !isOpen;
    after = last.seq;
  }
}

/** A thread that cannot be read is not tried again at every start. */
async function giveUp({ threads, clock }: RunPorts, { thread_id }: ThreadRow, error: Error): Promise<void> {
  await threads.setStatus(thread_id, "error", error.message, isoTime(clock));
}

/** A thread that has nothing to go on with is at rest. */
async function settle(ports: RunPorts, row: ThreadRow): Promise<void> {
  const now = await readNow(ports, row);
  const isLost = now.state?.config.configurable?.["checkpoint_id"] === undefined;
  const error = isLost ? "The server stopped before the run's input was on disk. Send it again." : null;
  const status = isLost ? "error" : statusOf({ ...row, status: "idle" }, now, false);
  await ports.threads.setStatus(row.thread_id, status, error, isoTime(ports.clock));
}
