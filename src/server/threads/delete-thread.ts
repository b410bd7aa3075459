import { changeCall, isoTime, targetOf } from "../../desk/index.ts";
import { lastApproval, lastExecution, type Call, type Command } from "../../ledger/index.ts";
import type { ServerParts } from "../parts.ts";
import type { ThreadRow } from "../database/tables.ts";

const REASON = "The thread was deleted.";

/** Deletes a thread: its run is cancelled, its open calls are closed in the ledger, and its checkpoints go. */
export async function deleteThread(
  { manager, ports, checkpointer }: ServerParts,
  row: ThreadRow,
): Promise<void> {
  const { thread_id } = row;
  const run = manager.current(thread_id);
  if (run) await manager.cancel(run, REASON);
  else await manager.idle(thread_id);
  for (const call of await ports.ledger.openCalls(thread_id)) await close(ports, call);
  await checkpointer.saver.deleteThread(thread_id);
  await ports.threads.remove(thread_id);
}

async function close({ ledger, clock }: ServerParts["ports"], known: Call): Promise<void> {
  const commands: Command[] = [];
  const approval = lastApproval(known);
  if (approval?.status === "pending") {
    const { approval_id } = approval;
    commands.push({ type: "close", approval_id, status: "cancelled", by: { kind: "user" }, reason: REASON });
  }
  const state = lastExecution(known)?.state;
  // What still runs records its own end.
  if (state !== "started") {
    if (state === "paused") commands.push({ type: "finish", state: "unknown", error: REASON });
    const outcome = state === undefined ? "cancelled" : "unknown";
    commands.push({ type: "answer", data: { ok: false, outcome, error: REASON } });
  }
  await changeCall(ledger, targetOf(known), isoTime(clock), { commands, known });
}
