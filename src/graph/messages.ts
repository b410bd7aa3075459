import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { DeltaValue, messagesDeltaReducer, MessagesDeltaValue } from "@langchain/langgraph";

// LangGraph gives ids to whatever is written to a channel whose reducer carries this mark.
const GIVES_IDS = Symbol.for("langgraph.messages_delta_reducer");

/**
 * LangGraph's reducer of messages, and after it the tool messages of a turn in the order of their calls. Checkpointers
 * give the writes of parallel tasks back in any order, so the order has to come from the messages themselves.
 */
const inOrder = Object.assign(
  (state: BaseMessage[], writes: Parameters<typeof messagesDeltaReducer>[1]): BaseMessage[] =>
    ordered(messagesDeltaReducer(state, writes)),
  { [GIVES_IDS]: true },
);

/** The state's `messages`: stored step by step, so that a thread grows with its length and not with its square. */
export const OrderedMessages = new DeltaValue(MessagesDeltaValue.valueSchema, {
  inputSchema: MessagesDeltaValue.inputSchema,
  reducer: inOrder,
  jsonSchemaExtra: { langgraph_type: "messages", description: "A list of chat messages" },
});

/** Puts the tool messages of each AI message directly behind it, in the order of its calls. */
export function ordered(messages: readonly BaseMessage[]): BaseMessage[] {
  const out: BaseMessage[] = [];
  for (let start = 0; start < messages.length;) {
    const end = nextAi(messages, start + 1);
    out.push(...orderedTurn(messages.slice(start, end)));
    start = end;
  }
  return out;
}

/** One AI message (or whatever comes before the first) and all that follows it up to the next. */
function orderedTurn(turn: BaseMessage[]): BaseMessage[] {
  const [head, ...rest] = turn;
  if (head === undefined || !AIMessage.isInstance(head) || rest.length < 2) return turn;
  const rank = new Map((head.tool_calls ?? []).map(({ id }, index) => [id, index]));
  const rankOf = (message: BaseMessage): number | undefined =>
    ToolMessage.isInstance(message) ? rank.get(message.tool_call_id) : undefined;
  const answers = rest.filter((message) => rankOf(message) !== undefined);
  const others = rest.filter((message) => rankOf(message) === undefined);
  answers.sort((a, b) => (rankOf(a) ?? 0) - (rankOf(b) ?? 0));
  return [head, ...answers, ...others];
}

function nextAi(messages: readonly BaseMessage[], from: number): number {
  let index = from;
  while (index < messages.length && !AIMessage.isInstance(messages[index])) index += 1;
  return index;
}
