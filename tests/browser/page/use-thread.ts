import { Client } from "@langchain/langgraph-sdk";
import { StreamController } from "@langchain/langgraph-sdk/stream";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { messageOf, questionsOf, type Conversation, type Place } from "./conversation.ts";

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
  const { rootStore } = controller;
  const root = useSyncExternalStore(rootStore.subscribe, rootStore.getSnapshot);
  const [failure, setFailure] = useState<string | null>(null);
  const tell = (error: unknown) => setFailure(messageOf(error));
  return {
    lines: root.messages.map((message, index) => ({
      id: message.id ?? String(index),
      type: message.type,
      text: message.text,
    })),
    questions: questionsOf(root.interrupts),
    isLoading: root.isLoading,
    error: failure ?? messageOf(root.error),
    send: (text) => {
      controller.submit({ messages: [{ type: "human", content: text }] }).catch(tell);
    },
    decide: ({ id }, decision) => {
      controller.respond({ decisions: [decision] }, { interruptId: id }).catch(tell);
    },
    stop: () => {
      controller.stop().catch(tell);
    },
  };
}
