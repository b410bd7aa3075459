import type { StateSnapshot } from "@langchain/langgraph";
import { DeskError } from "../../desk/index.ts";
import type { Approval, DecidedBy } from "../../ledger/index.ts";
import type { ThreadRow } from "../database/tables.ts";
import { addressAll } from "../questions/address.ts";
import { openNow } from "../questions/open-now.ts";
import type { RunPorts } from "./run-ports.ts";

/**
 * Takes a client's answer to a paused thread: finds out which questions it is for, and puts the decisions to the desk,
 * all or none. The raw answer goes no further.
 *
 * @param given.state `null` when nothing but questions of our gate is open.
 * @throws {DeskError} when it cannot be taken. Everything is as it was then.
 */
export async function takeAnswer(
  ports: Pick<RunPorts, "ledger" | "desk" | "clock">,
  { thread_id, run_id, graph_id, assistant_id, requested_by }: ThreadRow,
  { state, answer, by }: { state: StateSnapshot | null; answer: unknown; by: DecidedBy },
): Promise<Approval[]> {
  const { desk } = ports;
  const asker = {
    ...{ thread_id, run_id, graph_id: graph_id ?? "", assistant_id: assistant_id ?? "" },
    requested_by,
  };
  try {
    const open = await openNow(ports, asker, state);
    const settled = await desk.decideAll(addressAll(answer, open), { by });
    return settled.map(({ approval }) => approval);
  } catch (error) {
    if (error instanceof DeskError && error.code === "unknown_approval")
      await refuseSettled(ports, thread_id, answer);
    throw error;
  }
}

/** An answer that names a settled approval is told what stands, and not that there is no such approval. */
async function refuseSettled(
  { ledger, desk }: Pick<RunPorts, "ledger" | "desk">,
  thread_id: string,
  answer: unknown,
): Promise<void> {
  if (typeof answer !== "object" || answer === null) return;
  const { approval_id, decisions } = answer as { approval_id?: unknown; decisions?: unknown };
  const map = typeof decisions === "object" && decisions !== null ? decisions : answer;
  const ids = typeof approval_id === "string" ? [approval_id] : Object.keys(map);
  for (const id of ids.filter((one) => one.startsWith("apr_"))) {
    const approval = await ledger.approval(id);
    if (approval && approval.thread_id === thread_id && approval.status !== "pending")
      await desk.decide(id, { type: "reject" });
  }
  const interrupts = ids.filter((one) => /^[0-9a-f]{32}$/.test(one));
  const asked = interrupts.length === 0 ? [] : await askedBy(ledger, thread_id, interrupts);
  const [settled] = asked.some(({ status }) => status === "pending") ? [] : asked;
  if (settled) await desk.decide(settled.approval_id, { type: "reject" });
}

/** The approvals that interrupts asked for. */
async function askedBy(
  ledger: RunPorts["ledger"],
  thread_id: string,
  interrupts: readonly string[],
): Promise<Approval[]> {
  const found: Approval[] = [];
  let cursor: string | null = null;
  do {
    const query = { thread_id, status: "all", limit: 1_000, ...(cursor !== null && { cursor }) } as const;
    const page: Awaited<ReturnType<typeof ledger.approvals>> = await ledger.approvals(query);
    found.push(...page.approvals.filter(({ interrupt_id }) => interrupts.includes(interrupt_id ?? "")));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}
