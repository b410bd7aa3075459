import type { Message } from "@langchain/langgraph-sdk";
import { useStream } from "@langchain/langgraph-sdk/react";
import { messageOf, questionsOf, type Conversation, type Line, type Place } from "./conversation.ts";

interface State extends Record<string, unknown> {
  messages: Message[];
}

const saying = (content: string) => ({ messages: [{ type: "human" as const, content }] });

/** Coming back to a run that goes on, and the branches of the thread: what `useStream` does only when it is asked to. */
const everything = { reconnectOnMount: true, fetchStateHistory: true };

/** A conversation over runs, as the SDK's `useStream` holds it, with everything or by its defaults. */
export function useRuns({ apiUrl, threadId, keepThread }: Place, isPlain: boolean): Conversation {
  const stream = useStream<State>({
    apiUrl,
    assistantId: "agent",
    threadId,
    onThreadId: keepThread,
    callerOptions: { maxRetries: 0 },
    ...(!isPlain && everything),
  });
  const lineOf = (message: Message, index: number): Line => {
    const seen = stream.getMessagesMetadata(message, index);
    const checkpoint = seen?.firstSeenState?.parent_checkpoint;
    const { branch, branchOptions = [] } = seen ?? {};
    const at = branch === undefined ? -1 : branchOptions.indexOf(branch);
    const next = branchOptions[(at + 1) % branchOptions.length];
    return {
      id: message.id ?? String(index),
      type: message.type,
      text: typeof message.content === "string" ? message.content : JSON.stringify(message.content),
      ...(message.type === "human" &&
        checkpoint && { edit: (text: string) => void stream.submit(saying(text), { checkpoint }) }),
      ...(at >= 0 &&
        next !== undefined && {
          branches: { shown: `${at + 1} of ${branchOptions.length}`, next: () => stream.setBranch(next) },
        }),
    };
  };
  const questions = questionsOf(stream.interrupts);
  return {
    lines: stream.messages.map(lineOf),
    questions,
    isLoading: stream.isLoading,
    error: messageOf(stream.error),
    send: (text) => void stream.submit(saying(text)),
    decide: ({ id }, decision) => {
      const answer = { decisions: [decision] };
      // The chat interfaces that are around answer a single question without saying which.
      const resume = questions.length === 1 ? answer : { [id]: answer };
      void stream.submit(undefined, { command: { resume } });
    },
    stop: () => void stream.stop(),
  };
}
