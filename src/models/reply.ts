import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import type { InvalidToolCall, ToolCall, ToolCallChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";

/** What a model without a provider answers: text and calls. `id` may be missing where a test wants it so. */
export interface Reply {
  content: string;
  tool_calls: ToolCall[];
  invalid_tool_calls: InvalidToolCall[];
}

/** The reply as one message. */
export function toMessage(reply: Reply): AIMessage {
  return new AIMessage({ ...reply });
}

/** The reply as a stream: the text word by word, then each call in pieces, as providers send them. */
export function* toChunks(reply: Reply): Generator<ChatGenerationChunk> {
  // A streamed call without an id is folded into an invalid one, so such a reply travels in one piece.
  if (reply.tool_calls.some((call) => !call.id)) {
    yield chunk(new AIMessageChunk({ content: reply.content, tool_calls: reply.tool_calls }));
    return;
  }
  const pieces = reply.content.match(/\s*\S+\s*$|\s*\S+/gu) ?? [reply.content];
  for (const piece of pieces) yield chunk(new AIMessageChunk({ content: piece }));
  for (const piece of callPieces(reply)) {
    yield chunk(new AIMessageChunk({ content: "", tool_call_chunks: [piece] }));
  }
}

function* callPieces(reply: Reply): Generator<ToolCallChunk> {
  const calls = [
    ...reply.tool_calls.map((call) => ({ name: call.name, id: call.id, args: JSON.stringify(call.args) })),
    ...reply.invalid_tool_calls.map((call) => ({ name: call.name, id: call.id, args: call.args ?? "" })),
  ];
  // The text is a block of the message too, and the pieces of two blocks of one index would be put together.
  const before = reply.content === "" ? 0 : 1;
  for (const [place, call] of calls.entries()) {
    const index = before + place;
    const middle = Math.ceil(call.args.length / 2);
    const first: ToolCallChunk = { type: "tool_call_chunk", index, args: call.args.slice(0, middle) };
    if (call.name !== undefined) first.name = call.name;
    if (call.id !== undefined) first.id = call.id;
    yield first;
    yield { type: "tool_call_chunk", index, args: call.args.slice(middle) };
  }
}

function chunk(message: AIMessageChunk): ChatGenerationChunk {
  return new ChatGenerationChunk({
    message,
    text: typeof message.content === "string" ? message.content : "",
  });
}
