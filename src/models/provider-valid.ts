import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { ModelError } from "./model-error.ts";

interface OpenTurn {
  position: number;
  open: Set<string>;
  answered: Set<string>;
}

/**
 * Checks a history the way a strict provider does before it answers.
 *
 * Directly behind an AI message, before any other kind of message, stands exactly one tool message for each of its
 * calls. Entries of `invalid_tool_calls` are not sent to a provider, so a tool message for one of them has no call.
 *
 * @throws {ModelError} `history_refused`, naming the position of the message and the call id.
 */
export function assertProviderValid(messages: readonly BaseMessage[]): void {
  let turn: OpenTurn | undefined;
  for (const [position, message] of messages.entries()) {
    if (ToolMessage.isInstance(message)) {
      answer(turn, message.tool_call_id, position);
      continue;
    }
    close(turn);
    turn = AIMessage.isInstance(message) ? begin(message, position) : undefined;
  }
  close(turn);
}

function begin(message: AIMessage, position: number): OpenTurn {
  const open = new Set<string>();
  for (const call of callsOf(message)) {
    if (!call.id) throw refused(position, `its call of "${call.name}" has no id`);
    if (open.has(call.id)) throw refused(position, `two of its calls have the id "${call.id}"`);
    open.add(call.id);
  }
  return { position, open, answered: new Set() };
}

function answer(turn: OpenTurn | undefined, id: string, position: number): void {
  if (turn?.open.delete(id)) {
    turn.answered.add(id);
    return;
  }
  if (turn?.answered.has(id)) throw refused(position, `it is the second tool message for the call "${id}"`);
  throw refused(
    position,
    `it is a tool message for "${id}", and the AI message before it has no such call in "tool_calls"`,
  );
}

function close(turn: OpenTurn | undefined): void {
  if (turn === undefined || turn.open.size === 0) return;
  const ids = [...turn.open].map((id) => `"${id}"`).join(", ");
  throw refused(turn.position, `no tool message directly behind it answers ${ids}`);
}

/** The calls that go over the wire: the parsed ones, else the raw ones that came from a provider. */
function callsOf(message: AIMessage): { name: string; id?: string | undefined }[] {
  if (message.tool_calls !== undefined && message.tool_calls.length > 0) return message.tool_calls;
  const raw = message.additional_kwargs["tool_calls"] ?? [];
  return raw.map((call) => ({ name: call.function.name, id: call.id }));
}

function refused(position: number, what: string): ModelError {
  return new ModelError(
    "history_refused",
    `A provider would refuse message ${position} of the history: ${what}.`,
  );
}
