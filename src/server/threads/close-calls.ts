import { changeCall, isoTime, targetOf } from "../../desk/index.ts";
import { lastApproval, lastExecution, type Call, type Command, type DecidedBy } from "../../ledger/index.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";

/** How often a call is looked at again because somebody else wrote to it in the same moment. */
const ROUNDS = 5;

/** Why calls are closed, and in whose name. */
export interface Closing {
  reason: string;
  by: DecidedBy;
  /** Whether what still runs is closed too: whatever comes of it, nobody will hear of it. */
  isFinal?: boolean;
}

/**
 * Closes every open call of a thread in the ledger: its question ends as `cancelled`, and the call has its result.
 * What still runs records its own end.
 */
export async function closeCalls(parts: ServerParts, thread_id: string, why: Closing): Promise<void> {
  for (const call of await parts.ports.ledger.openCalls(thread_id)) await close(parts, call, why);
}

/** @throws {ServerError} `thread_busy` while a tool of the thread runs, as after a run that was cancelled. */
export async function assertNoToolRuns({ ports }: ServerParts, thread_id: string): Promise<void> {
  const open = await ports.ledger.openCalls(thread_id);
  const running = open.find((call) => lastExecution(call)?.state === "started");
  if (running === undefined) return;
  const message = `The tool "${running.tool}" of this thread is still running. Wait until it has ended, then send again.`;
  throw new ServerError("thread_busy", message);
}

async function close(
  { ports, closingWords }: ServerParts,
  call: Call,
  { reason, by, isFinal = false }: Closing,
): Promise<void> {
  let known: Call | null = call;
  for (let round = 0; round < ROUNDS && known !== null && known.result === null; round += 1) {
    const commands: Command[] = [];
    const approval = lastApproval(known);
    if (approval?.status === "pending") {
      const { approval_id } = approval;
      commands.push({ type: "close", approval_id, status: "cancelled", by, reason });
    }
    const state = lastExecution(known)?.state;
    const isLeft = state === "paused" || (isFinal && state === "started");
    if (isLeft) commands.push({ type: "finish", state: "unknown", error: reason });
    if (state !== "started" || isLeft) {
      const outcome = state === undefined ? "cancelled" : "unknown";
      const error = closingWords.text(outcome, reason);
      commands.push({ type: "answer", data: { ok: false, outcome, error } });
    }
    if (commands.length === 0) return;
    const changed = await changeCall(ports.ledger, targetOf(known), isoTime(ports.clock), {
      commands,
      known,
    });
    if (!changed.refusal) return;
    known = await ports.ledger.call(known.call_id);
  }
}
