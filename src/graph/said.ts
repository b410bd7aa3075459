import { HumanMessage, isBaseMessage } from "@langchain/core/messages";
import type { Entry } from "./entry.ts";
import { readState } from "./platform.ts";

/**
 * What the user said in the thread of a call, oldest first. In a graph inside another nothing counts as that: what
 * stands there as the user's may be what the outer agent's model wrote.
 */
export function saidIn({ config, place }: Entry): string[] {
  if (place.path !== "") return [];
  const { messages } = readState(config, ["messages"]);
  if (!Array.isArray(messages)) return [];
  return messages
    .filter((message) => isBaseMessage(message) && HumanMessage.isInstance(message))
    .map((message) => message.text);
}
