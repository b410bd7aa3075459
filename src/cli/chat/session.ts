import type { Client } from "../client.ts";
import type { Feed } from "./feed.ts";
import type { Input } from "./input.ts";
import type { View } from "./view.ts";
import { isFromAgent, textOf, type WireEvent, type WireMessage, type WireThread } from "./wire-types.ts";

/** One chat: a thread, what of it was shown, and who talks. */
export class Session {
  readonly client: Client;
  readonly thread_id: string;
  readonly graph: string;
  readonly view: View;
  readonly input: Input;
  readonly feed: Feed;
  /** Aborted when the person leaves while nothing is being asked. */
  readonly leaving: AbortSignal;
  /** Approvals that the person wants to leave open for now. */
  readonly later = new Set<string>();
  /** Calls of this chat that have their answer. */
  readonly answered = new Set<string>();
  readonly #shownEvents = new Set<number>();
  readonly #shownMessages = new Set<string>();
  /** What the agent said in pieces: its ids in the stream need not be those of the thread. */
  readonly #streamed = new Set<string>();

  constructor(
    parts: Pick<Session, "client" | "thread_id" | "graph" | "view" | "input" | "feed" | "leaving">,
  ) {
    this.client = parts.client;
    this.thread_id = parts.thread_id;
    this.graph = parts.graph;
    this.view = parts.view;
    this.input = parts.input;
    this.feed = parts.feed;
    this.leaving = parts.leaving;
  }

  thread(): Promise<WireThread> {
    return this.client.send<WireThread>(`/threads/${encodeURIComponent(this.thread_id)}`);
  }

  /** Shows an event once, whichever way it came. */
  showEvent(event: WireEvent): void {
    if (this.#shownEvents.has(event.seq)) return;
    this.#shownEvents.add(event.seq);
    const call = event["tool_call_id"];
    if (typeof call === "string" && event.type === "tool_call_started") this.answered.delete(call);
    if (typeof call === "string" && event.type === "tool_result") this.answered.add(call);
    this.view.event(event);
  }

  /** Shows what has arrived in the feed. */
  showArrived(): void {
    for (const event of this.feed.take()) this.showEvent(event);
  }

  /** Remembers what the agent said in pieces, so that it is not shown again as a whole. */
  said(text: string): void {
    this.#streamed.add(text.trim());
  }

  /** Marks messages as shown. */
  know(messages: readonly WireMessage[]): void {
    for (const [index, message] of messages.entries()) this.#shownMessages.add(keyOf(message, index));
  }

  /** Shows what the agent said in a thread and was not shown yet. */
  showMessages({ values }: WireThread): void {
    const messages = values?.messages ?? [];
    for (const [index, message] of messages.entries()) {
      if (this.#shownMessages.has(keyOf(message, index)) || !isFromAgent(message)) continue;
      const text = textOf(message);
      if (text.trim() === "" || this.#streamed.has(text.trim())) continue;
      this.view.text(text);
      this.view.endText();
    }
    this.know(messages);
    this.#streamed.clear();
  }
}

function keyOf({ id }: WireMessage, index: number): string {
  return id ?? `#${index}`;
}
