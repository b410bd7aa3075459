import { randomUUID } from "node:crypto";
import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { Call } from "../ledger/index.ts";
import { canonicalJson, isDeeperThan, MAX_ARGS_DEPTH } from "../ledger/index.ts";
import { ordered } from "./messages.ts";
import { refusalText } from "./texts.ts";
import { artifactOf } from "./tool-message.ts";

export type IdentifiedCall = ToolCall & { id: string };

/** Calls that the model garbled, with what was wrong with each. */
export interface Garbled {
  call: IdentifiedCall;
  message: string;
}

/** The last AI message, if it made calls that no tool message answers, and those calls. */
export function unanswered(
  messages: readonly BaseMessage[],
): { message: AIMessage; calls: IdentifiedCall[] } | undefined {
  const index = messages.findLastIndex((message) => AIMessage.isInstance(message));
  const message = messages[index];
  if (message === undefined || !AIMessage.isInstance(message)) return undefined;
  const answers = new Set(
    messages
      .slice(index + 1)
      .filter(isToolMessage)
      .map(({ tool_call_id }) => tool_call_id),
  );
  const calls = (message.tool_calls ?? []).filter(
    (call): call is IdentifiedCall => hasId(call) && !answers.has(call.id),
  );
  return calls.length === 0 ? undefined : { message, calls };
}

/**
 * The history as a model may see it: each call has exactly one tool message, directly behind its AI message and in the
 * order of the calls; tool messages without a call are left out. Providers refuse anything else.
 */
export function modelView(messages: readonly BaseMessage[]): BaseMessage[] {
  const view: BaseMessage[] = [];
  let calls: IdentifiedCall[] = [];
  let rest: BaseMessage[] = [];
  let answers = new Map<string, ToolMessage>();
  const flush = (): void => {
    for (const call of calls) view.push(answers.get(call.id) ?? closing(call));
    view.push(...rest);
    calls = [];
    rest = [];
    answers = new Map();
  };
  for (const message of ordered(messages)) {
    if (isToolMessage(message)) {
      // The first answer counts: a later one for the same call was not written by a gate.
      if (calls.some(({ id }) => id === message.tool_call_id) && !answers.has(message.tool_call_id)) {
        answers.set(message.tool_call_id, message);
      }
    } else if (AIMessage.isInstance(message)) {
      flush();
      view.push(message);
      calls = (message.tool_calls ?? []).filter(hasId);
    } else rest.push(message);
  }
  flush();
  return view;
}

/** The tool message for a call that was left behind: what the ledger knows of it, or that it never ran. */
export function closing(call: IdentifiedCall, known?: Call | null): ToolMessage {
  const { ok, outcome, text } = known?.result ?? {
    ok: false,
    outcome: "cancelled" as const,
    text: refusalText("cancelled", ""),
  };
  return new ToolMessage({
    content: text,
    tool_call_id: call.id,
    name: call.name,
    status: ok ? "success" : "error",
    artifact: artifactOf(known ?? null, outcome),
  });
}

/**
 * An AI message as it can be kept: each call has an id of its own, and calls that the model garbled stand among the
 * others with empty arguments, so that they can be answered like them.
 */
export function repaired(reply: AIMessage): { message: AIMessage; garbled: Garbled[] } {
  const seen = new Set<string>();
  const identify = (id: string | undefined): string => {
    const own = id !== undefined && id !== "" && !seen.has(id) ? id : `call_${randomUUID()}`;
    seen.add(own);
    return own;
  };
  const calls: IdentifiedCall[] = [];
  const garbled: Garbled[] = [];
  const refuse = (id: string | undefined, name: string | undefined, message: string): void => {
    const call = { type: "tool_call" as const, id: identify(id), name: name ?? "unnamed", args: {} };
    garbled.push({ call, message });
  };
  for (const call of reply.tool_calls ?? []) {
    const fault = faultOf(call.args ?? {});
    if (fault === undefined) calls.push({ ...call, args: call.args ?? {}, id: identify(call.id) });
    else refuse(call.id, call.name, fault);
  }
  for (const { id, name, error } of reply.invalid_tool_calls ?? []) {
    refuse(id, name, `The arguments are not valid JSON${error ? ` (${error})` : ""}.`);
  }
  if (
    garbled.length === 0 &&
    calls.every(({ id, args }, at) => isSame({ id, args }, reply.tool_calls?.[at]))
  ) {
    return { message: reply, garbled };
  }
  const { tool_calls: _raw, ...additional_kwargs }: Record<string, unknown> = reply.additional_kwargs;
  const message = new AIMessage({
    content: contentWithoutCalls(reply.content),
    ...(reply.id !== undefined && { id: reply.id }),
    ...(reply.name !== undefined && { name: reply.name }),
    additional_kwargs,
    response_metadata: reply.response_metadata,
    ...(reply.usage_metadata !== undefined && { usage_metadata: reply.usage_metadata }),
    tool_calls: [...calls, ...garbled.map(({ call }) => call)],
  });
  return { message, garbled };
}

/** Why arguments cannot be used as they are, whatever the tool. */
function faultOf(args: unknown): string | undefined {
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return "The arguments are no JSON object.";
  if (isDeeperThan(args, MAX_ARGS_DEPTH))
    return `The arguments are nested deeper than ${MAX_ARGS_DEPTH} levels.`;
  try {
    canonicalJson(args);
    return undefined;
  } catch {
    return "The arguments hold what JSON cannot.";
  }
}

function isSame({ id, args }: { id: string; args: unknown }, call: ToolCall | undefined): boolean {
  return call !== undefined && id === call.id && args === call.args;
}

/** Some providers repeat the calls among the content, under the ids and arguments that were just mended. */
function contentWithoutCalls(content: AIMessage["content"]): AIMessage["content"] {
  if (typeof content === "string") return content;
  const isCall = ({ type }: { type?: unknown }): boolean => type === "tool_use" || type === "tool_call";
  return content.filter((block) => !isCall(block));
}

function hasId(call: ToolCall): call is IdentifiedCall {
  return call.id !== undefined && call.id !== "";
}

function isToolMessage(message: BaseMessage): message is ToolMessage {
  return ToolMessage.isInstance(message);
}
