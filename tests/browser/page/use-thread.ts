import type { BaseMessage } from "@langchain/core/messages";
import { Client } from "@langchain/langgraph-sdk";
import { StreamController } from "@langchain/langgraph-sdk/stream";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { messageOf, questionsOf, type Conversation, type Line, type Place } from "./conversation.ts";

/** A conversation over the streaming protocol, as the SDK's `StreamController` holds it for any framework. */
export function useThread(place: Place, transport: "sse" | "websocket"): Conversation {
  const { apiUrl, keepThread } = place;
  // The controller finds out by itself which thread it makes; only what the page began with matters here.
  const [threadId] = useState(place.threadId);
  const controller = useMemo(() => {
    const client = new Client({ apiUrl, callerOptions: { maxRetries: 0 } });
    return new StreamController({
      ...{ assistantId: "agent", client, threadId, transport, onThreadId: keepThread },
    });
  }, [apiUrl, threadId, transport, keepThread]);
  useEffect(() => {
    const release = controller.activate();
    // A failure shows in the store.
    controller.hydrate().catch(() => undefined);
    return release;
  }, [controller]);
  const { rootStore, messageMetadataStore } = controller;
  const root = useSyncExternalStore(rootStore.subscribe, rootStore.getSnapshot);
  const seen = useSyncExternalStore(messageMetadataStore.subscribe, messageMetadataStore.getSnapshot);
  const [failure, setFailure] = useState<string | null>(null);
  const tell = (error: unknown) => setFailure(messageOf(error));
  const say = (content: string, forkFrom?: string) => {
    const input = { messages: [{ type: "human", content }] };
    controller.submit(input, forkFrom === undefined ? {} : { forkFrom }).catch(tell);
  };
  const lineOf = (message: BaseMessage, index: number): Line => {
    const before = seen.get(message.id ?? "")?.parentCheckpointId;
    return {
      id: message.id ?? String(index),
      type: message.type,
      text: message.text,
      ...(message.type === "human" && before !== undefined && { edit: (text: string) => say(text, before) }),
    };
  };
  return {
    lines: root.messages.map(lineOf),
    questions: questionsOf(root.interrupts),
    isLoading: root.isLoading,
    error: failure ?? messageOf(root.error),
    send: (text) => say(text),
    decide: ({ id }, decision) => {
      controller.respond({ decisions: [decision] }, { interruptId: id }).catch(tell);
    },
    stop: () => {
      controller.stop().catch(tell);
    },
  };
}
