import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { InvalidToolCall, ToolCallChunk } from "@langchain/core/messages";

/**
 * A message as the model sent it: a call whose arguments broke off in the stream is an invalid one.
 *
 * LangChain completes unfinished JSON when it folds a stream, so that a call cut at a length limit would run with
 * arguments that the model never wrote: `{"path": "notes/old` becomes the path `notes/old`.
 *
 * @returns the same message when it did not come from a stream or every call in it is whole.
 */
export function withoutRepairedCalls<T extends AIMessage>(message: T): T | AIMessage {
  if (!AIMessageChunk.isInstance(message)) return message;
  const broken = brokenCalls(message.tool_call_chunks ?? []);
  const calls = message.tool_calls ?? [];
  const repaired = calls.filter((call) => broken.has(call.id ?? ""));
  if (repaired.length === 0) return message;
  const invalid = repaired.map((call): InvalidToolCall => {
    const args = broken.get(call.id ?? "") ?? "";
    const error = "The arguments break off: they are not complete JSON.";
    return {
      type: "invalid_tool_call",
      name: call.name,
      args,
      error,
      ...(call.id === undefined ? {} : { id: call.id }),
    };
  });
  return new AIMessage({
    content: message.content,
    ...(message.id === undefined ? {} : { id: message.id }),
    ...(message.name === undefined ? {} : { name: message.name }),
    ...(message.usage_metadata === undefined ? {} : { usage_metadata: message.usage_metadata }),
    response_metadata: message.response_metadata,
    tool_calls: calls.filter((call) => !repaired.includes(call)),
    invalid_tool_calls: [...(message.invalid_tool_calls ?? []), ...invalid],
  });
}

/** Raw arguments by call id, of the calls whose arguments are no JSON as they stand. */
function brokenCalls(chunks: readonly ToolCallChunk[]): Map<string, string> {
  const raw = new Map<string, string>();
  const idOf = new Map<number, string>();
  for (const chunk of chunks) {
    if (chunk.id !== undefined && chunk.index !== undefined) idOf.set(chunk.index, chunk.id);
    const id = chunk.id ?? (chunk.index === undefined ? undefined : idOf.get(chunk.index));
    if (id !== undefined) raw.set(id, (raw.get(id) ?? "") + (chunk.args ?? ""));
  }
  for (const [id, args] of raw) if (args.trim() === "" || isJson(args)) raw.delete(id);
  return raw;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
