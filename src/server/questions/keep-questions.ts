import type { StateSnapshot } from "@langchain/langgraph";
import { changeCall, isoTime, targetOf } from "../../desk/index.ts";
import { lastApproval, type Approval, type Call, type Command, type Ledger } from "../../ledger/index.ts";
import { askedIn, callsOf, type Asked, type AskedCall } from "./asked.ts";
import { openCommands, type Asker } from "./open-commands.ts";

/** How a thread came to stand as it does. */
export interface Standing {
  /** The state, read only when it is needed; `null` when the thread has none. */
  readState: () => Promise<StateSnapshot | null>;
  /** Whether something may have been asked that is not a question of ours. */
  mayAsk: boolean;
  /** Whether a run stopped by itself just now: then it was the one that asked what is open. */
  hasPaused: boolean;
  /** Approvals whose decisions the graph was given. */
  brought: ReadonlySet<string>;
}

interface Ports {
  ledger: Ledger;
  clock: () => number;
}

/**
 * Brings the ledger to what a thread's state says of a graph's own questions: new ones are opened as approvals, and
 * those that the graph was answered, or that it has left, are closed. Doing it again changes nothing.
 */
export async function keepQuestions(ports: Ports, asker: Asker, standing: Standing): Promise<void> {
  const { ledger } = ports;
  const { thread_id } = asker;
  const open = (await ledger.openCalls(thread_id)).filter(isQuestion);
  if (!standing.mayAsk && open.length === 0) return;
  const state = await standing.readState();
  const waiting = new Map<string, "waiting" | "dead">();
  for (const asked of state ? askedIn(thread_id, state) : []) {
    const calls = await callsOf(ledger, asked);
    if (isNew(calls, standing)) await openQuestion(ports, asker, asked, calls);
    const stand = standOf(calls, asked.question.takesNo, standing);
    if (stand !== "done") for (const { call_id } of calls) waiting.set(call_id, stand);
  }
  for (const call of open) {
    const stand = waiting.get(call.call_id);
    if (stand === "waiting") continue;
    await change(ports, targetOf(call), closeCommands(call, stand !== "dead"), call);
  }
}

/** Closes the questions of a thread whose run was cancelled: the graph is not told of them any more. */
export async function dropQuestions(ports: Ports, thread_id: string): Promise<void> {
  for (const call of (await ports.ledger.openCalls(thread_id)).filter(isQuestion)) {
    const status = lastApproval(call)?.status;
    if (status === "pending" || status === "cancelled")
      await change(ports, targetOf(call), closeCommands(call, false), call);
  }
}

/** Opens what is not yet open of a question. */
export async function openQuestion(
  ports: Ports,
  asker: Asker,
  asked: Asked,
  calls: readonly AskedCall[],
): Promise<void> {
  const { thread_id, run_id } = asker;
  for (const one of calls)
    await change(ports, { call_id: one.call_id, thread_id, run_id }, openCommands(asker, asked, one));
}

/** Whether a call stands for a question of a graph's own. */
function isQuestion(call: Call): boolean {
  return lastApproval(call)?.kind === "interrupt";
}

/** What was withdrawn stays where it is, until a run comes to it and asks anew. */
function isNew(calls: readonly AskedCall[], { hasPaused }: Standing): boolean {
  return calls.some(({ call, time }) => call === null && (time === 1 || hasPaused));
}

/** Whether a question waits for a decision or for being handed over, was handed over, or can never be. */
function standOf(
  calls: readonly AskedCall[],
  takesNo: boolean,
  { brought }: Standing,
): "waiting" | "done" | "dead" {
  const approvals = calls.flatMap(({ call }): Approval[] => {
    const approval = call ? lastApproval(call) : undefined;
    return approval ? [approval] : [];
  });
  if (approvals.some(({ approval_id }) => brought.has(approval_id))) return "done";
  return takesNo || approvals.every(({ status }) => status !== "cancelled") ? "waiting" : "dead";
}

function closeCommands(call: Call, isHanded: boolean): Command[] {
  const { approval_id = "", status = "cancelled", decision } = lastApproval(call) ?? {};
  const reason = "The graph went on without an answer.";
  if (status === "pending" || status === "cancelled" || !isHanded) {
    const by = { kind: "system" as const };
    const close: Command = { type: "close", approval_id, status: "cancelled", by, reason };
    const error = decision?.reason ?? reason;
    const answer: Command = { type: "answer", data: { ok: false, outcome: "cancelled", error } };
    return status === "pending" ? [close, answer] : [answer];
  }
  const result = `The graph was given the decision: ${status}.`;
  return [{ type: "answer", data: { ok: true, outcome: "handed_over", result } }];
}

async function change(
  { ledger, clock }: Ports,
  { call_id, thread_id, run_id }: { call_id: string; thread_id: string; run_id: string | null },
  commands: Command[],
  known?: Call,
): Promise<void> {
  await changeCall(ledger, { call_id, thread_id, run_id }, isoTime(clock), {
    commands,
    ...(known && { known }),
  });
}
