import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { changeCall, isoTime } from "../desk/index.ts";
import { callId, digest, turnId } from "../ledger/index.ts";
import { withoutRepairedCalls } from "../models/index.ts";
import { modeOf, type PolicyOverlay } from "../policy/index.ts";
import { ApprovalRequiredError } from "./approval-required.ts";
import { endWhenAsksAreSpent } from "./asks-spent.ts";
import type { GateParts } from "./entry.ts";
import { modelView, repaired, unanswered, type Garbled } from "./history.ts";
import { requester } from "./host.ts";
import { ordered } from "./messages.ts";
import { nextOverlays } from "./overlays.ts";
import { placeOf, type Place } from "./platform.ts";
import { refusalText } from "./texts.ts";
import type { CallArtifact } from "./tool-message.ts";
import { strictestOn } from "./under-thread-mode.ts";
import { withdrawAbandoned } from "./withdraw-abandoned.ts";

/** Asks the model. Gets a history that every provider takes. */
export type CallModel = (messages: BaseMessage[], config: LangGraphRunnableConfig) => Promise<BaseMessage>;

interface AgentState {
  messages: BaseMessage[];
  approval_overlays?: PolicyOverlay[];
}

/** One turn of the agent. @throws {ApprovalRequiredError} after a turn that needed an approval in a run without anybody to ask. */
export async function runAgent(
  parts: GateParts,
  callModel: CallModel,
  state: AgentState,
  config: LangGraphRunnableConfig,
): Promise<AgentState> {
  const place = placeOf(config);
  const overlays = nextOverlays(state.approval_overlays ?? [], config.context, state.messages);
  const closed = await withdrawAbandoned(parts, place, unanswered(state.messages));
  const history = ordered([...state.messages, ...closed]);
  await endFailClosed(parts, place, overlays, history);
  endWhenAsksAreSpent(history);
  const reply = await callModel(modelView(history), config);
  const { message, garbled } = repaired(withoutRepairedCalls(asAiMessage(reply)));
  message.id ??= `msg_${digest([place.task_id, history.length]).slice(7, 39)}`;
  // What a message was made with is what is written of it.
  message.lc_kwargs["id"] = message.id;
  const turn = { message_id: message.id, mask: parts.judge.masks(overlays) };
  const refused = await Promise.all(garbled.map((one) => refuseGarbled(parts, place, turn, one)));
  const messages = [...closed, message, ...refused];
  return isKept(state.approval_overlays, overlays) ? { messages } : { messages, approval_overlays: overlays };
}

/** Whether the channel holds these already: what is not written costs nothing on disk. */
function isKept(kept: readonly PolicyOverlay[] = [], next: readonly PolicyOverlay[]): boolean {
  return kept.length === next.length && kept.every((one, at) => one === next[at]);
}

/** In the mode `fail_closed` the calls of the turn are answered, and then the run ends. */
async function endFailClosed(
  parts: GateParts,
  { thread_id }: Place,
  overlays: readonly PolicyOverlay[],
  history: readonly BaseMessage[],
): Promise<void> {
  const from = history.findLastIndex((message) => !ToolMessage.isInstance(message)) + 1;
  const missing = history.slice(from).filter((message) => {
    const artifact = (message as ToolMessage).artifact as Partial<CallArtifact> | undefined;
    return artifact?.outcome === "unavailable";
  });
  if (missing.length === 0) return;
  const mode = await strictestOn(parts.ledger, thread_id, modeOf(parts.judge.policy(overlays)));
  if (mode !== "fail_closed") return;
  throw new ApprovalRequiredError(missing.map(({ name }) => name ?? "unnamed"));
}

/** A call whose arguments cannot be read is answered at once; the ledger has its rows like any other. */
async function refuseGarbled(
  { ledger, clock, judge }: GateParts,
  place: Place,
  { message_id, mask }: { message_id: string; mask: string[] },
  { call, message: fault }: Garbled,
): Promise<ToolMessage> {
  // What a parser says of a text quotes from it, and nobody knows what a mask would hide there.
  const message = mask.length === 0 ? fault : fault.replace(/ \(.*\)\.$/s, ".");
  const { thread_id, task_id, path, run_id, graph_id, assistant_id } = place;
  const text = refusalText("invalid", message);
  const call_id = callId({ thread_id, task_id, tool_call_id: call.id, tool: call.name, args: call.args });
  const start = {
    tool_call_id: call.id,
    tool: call.name,
    turn_id: turnId(thread_id, path, message_id),
    args: call.args,
    args_digest: digest(call.args),
    ...{ tier: "deny" as const, rules: [], why: message, path, graph_id, assistant_id },
    policy_digest: judge.policyDigest([]),
    ...requester(),
    ...(mask.length > 0 && { mask }),
  };
  await changeCall(ledger, { call_id, thread_id, run_id }, isoTime(clock), {
    commands: [
      { type: "start", data: start },
      { type: "answer", data: { ok: false, outcome: "invalid", error: text } },
    ],
  });
  const artifact: CallArtifact = { outcome: "invalid", approval_id: null, execution: "none" };
  return new ToolMessage({
    content: text,
    tool_call_id: call.id,
    name: call.name,
    status: "error",
    artifact,
  });
}

function asAiMessage(reply: BaseMessage): AIMessage {
  if (AIMessage.isInstance(reply)) return reply;
  throw new TypeError(`A model answers with an AI message, not with a "${reply.getType()}" message.`);
}
