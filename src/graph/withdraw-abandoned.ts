import type { ToolMessage } from "@langchain/core/messages";
import { changeCall, isoTime, targetOf } from "../desk/index.ts";
import { lastApproval, lastExecution, type Call, type Command } from "../ledger/index.ts";
import type { GateParts } from "./entry.ts";
import { closing, type IdentifiedCall } from "./history.ts";
import type { Place } from "./platform.ts";
import { refusalText } from "./texts.ts";

/**
 * Closes what a graph left behind: calls of an earlier turn that nobody will answer any more, since new input or a jump
 * took their place. Their questions end as `cancelled`. Returns a tool message for each of `calls`.
 */
export async function withdrawAbandoned(
  parts: GateParts,
  place: Place,
  calls: readonly IdentifiedCall[],
): Promise<ToolMessage[]> {
  const open = (await parts.ledger.openCalls(place.thread_id)).filter(({ path }) => path === place.path);
  const texts = new Map<string, string>();
  for (const call of open) {
    const closed = await close(parts, call);
    texts.set(call.tool_call_id, closed.result?.text ?? refusalText("cancelled", ""));
  }
  return calls.map((call) => closing(call, texts.get(call.id)));
}

async function close(parts: GateParts, call: Call): Promise<Call> {
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
  const changed = await changeCall(ledger, targetOf(known), isoTime(clock), { commands, known });
  return changed.call ?? known;
}
