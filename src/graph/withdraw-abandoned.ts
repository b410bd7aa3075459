import type { AIMessage, ToolMessage } from "@langchain/core/messages";
import { changeCall, isoTime, targetOf } from "../desk/index.ts";
import { lastApproval, lastExecution, turnId, type Call, type Command } from "../ledger/index.ts";
import type { GateParts } from "./entry.ts";
import { closing, type IdentifiedCall } from "./history.ts";
import type { Place } from "./platform.ts";
import { refusalText } from "./texts.ts";

/**
 * Closes what a graph left behind: calls of an earlier turn that nobody will answer any more, since new input or a jump
 * took their place. Their questions end as `cancelled`, and so do those of agents that were called as tools.
 *
 * @param left the message whose calls have no tool message.
 * @returns a tool message for each of its calls. What ran and lost only its message, as by a jump, keeps its result.
 */
export async function withdrawAbandoned(
  parts: GateParts,
  place: Place,
  left: { message: AIMessage; calls: readonly IdentifiedCall[] } | undefined,
): Promise<ToolMessage[]> {
  const inside = `${place.path === "" ? "" : `${place.path}|`}${parts.toolsNode}:`;
  const open = await parts.ledger.openCalls(place.thread_id);
  for (const call of open.filter((one) => lastApproval(one)?.kind !== "interrupt"))
    if (call.path === place.path || call.path.startsWith(inside)) await close(parts, call);
  if (left === undefined) return [];
  const known = await callsOfTurn(parts, place, turnId(place.thread_id, place.path, left.message.id ?? ""));
  return left.calls.map((call) => closing(call, known.get(call.id)));
}

const PAGE = 10_000;

/** The calls of a turn by their own id; of several, as after a replay, the last one. */
async function callsOfTurn(
  { ledger }: GateParts,
  { thread_id }: Place,
  turn_id: string,
): Promise<Map<string, Call>> {
  const calls = new Map<string, Call>();
  for (let after = 0; ;) {
    const events = await ledger.events({ thread_id, after, limit: PAGE });
    for (const { type, data, call_id } of events) {
      if (type !== "tool_call_started" || data.turn_id !== turn_id || call_id === null) continue;
      const call = await ledger.call(call_id);
      if (call) calls.set(data.tool_call_id, call);
    }
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return calls;
    after = last.seq;
  }
}

async function close(parts: GateParts, call: Call): Promise<void> {
  const { ledger, clock, executions } = parts;
  const known = await executions.outlast(call);
  const commands: Command[] = [];
  const approval = lastApproval(known);
  if (approval?.status === "pending") {
    const { approval_id } = approval;
    commands.push({
      type: "close",
      approval_id,
      status: "cancelled",
      by: { kind: "system" },
      reason: "The thread went on without an answer.",
    });
  }
  const execution = lastExecution(known);
  if (execution?.state === "paused")
    commands.push({ type: "finish", state: "unknown", error: "It was left paused." });
  const outcome = execution === undefined ? "cancelled" : "unknown";
  const why = execution?.error ?? "";
  commands.push({ type: "answer", data: { ok: false, outcome, error: refusalText(outcome, why) } });
  await changeCall(ledger, targetOf(known), isoTime(clock), { commands, known });
}
