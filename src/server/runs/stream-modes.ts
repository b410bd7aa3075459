import { isBaseMessage, type BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { showDebug } from "./debug-events.ts";
import type { Run } from "./run.ts";

/** The kinds of events that a client may ask for. `lifecycle` is of the second protocol only and gives nothing here. */
export const StreamMode = z
  .enum([
    ...(["values", "updates", "messages", "messages-tuple", "custom", "events"] as const),
    ...(["debug", "tasks", "checkpoints", "tools", "lifecycle"] as const),
  ])
  .meta({ id: "StreamMode" });
export type StreamMode = z.infer<typeof StreamMode>;

/** Which of LangGraph's own modes give what was asked for. Updates and values are always read: what a run asks, and what it leaves, is seen there. */
export function graphModes(modes: readonly StreamMode[]): string[] {
  const wanted = new Set<string>(["updates", "values"]);
  for (const mode of modes) {
    if (mode === "messages-tuple") wanted.add("messages");
    else if (mode !== "events" && mode !== "lifecycle") wanted.add(mode);
  }
  return [...wanted];
}

/** Whether an event is shown to a reader who wants only some modes. A run's beginning and end always are. */
export function isWanted(event: string, modes: ReadonlySet<string> | null): boolean {
  const [name = ""] = event.split("|");
  if (modes === null || ["metadata", "error", "end"].includes(name)) return true;
  if (name === "messages") return modes.has("messages-tuple");
  return modes.has(name.startsWith("messages/") ? "messages" : name);
}

/** One piece of a graph's stream, by where it comes from. */
export interface Chunk {
  namespace: readonly string[];
  mode: string;
  payload: unknown;
}

/** Turns a graph's stream into the events of the LangGraph API. */
export class StreamEvents {
  readonly #run: Run;
  readonly #modes: ReadonlySet<StreamMode>;
  readonly #partial = new Map<string, MessageChunk>();
  readonly #complete = new Set<string>();

  constructor(run: Run, modes: readonly StreamMode[]) {
    this.#run = run;
    this.#modes = new Set(modes);
  }

  push({ namespace, mode, payload }: Chunk): void {
    const name = (event: string): string => [event, ...namespace].join("|");
    if (mode === "messages") {
      if (this.#modes.has("messages-tuple")) this.#run.push(name("messages"), payload);
      if (this.#modes.has("messages")) this.#pushPartial(payload as [unknown, unknown]);
      return;
    }
    if (mode === "values" && this.#modes.has("messages")) this.#pushComplete(payload);
    if (this.#modes.has(mode as StreamMode)) this.#run.push(name(mode), showDebug(mode, payload));
  }

  #pushPartial([message, metadata]: [unknown, unknown]): void {
    if (!isChunk(message)) return;
    const before = this.#partial.get(message.id);
    if (before === undefined) this.#run.push("messages/metadata", { [message.id]: { metadata } });
    const whole = before === undefined ? message : before.concat(message);
    this.#partial.set(message.id, whole);
    this.#run.push("messages/partial", [whole]);
  }

  #pushComplete(values: unknown): void {
    const list =
      typeof values === "object" && values !== null ? (values as { messages?: unknown }).messages : [];
    const messages = (Array.isArray(list) ? list : [list]).filter((one): one is BaseMessage =>
      isBaseMessage(one),
    );
    const fresh = messages.filter(({ id }) => id !== undefined && !this.#complete.has(id));
    for (const { id } of fresh) this.#complete.add(id as string);
    if (fresh.length > 0) this.#run.push("messages/complete", fresh);
  }
}

/** A piece of a message, of whichever copy of LangChain a graph brings. */
interface MessageChunk {
  id: string;
  concat(next: MessageChunk): MessageChunk;
}

function isChunk(message: unknown): message is MessageChunk {
  if (typeof message !== "object" || message === null) return false;
  return (
    "concat" in message && typeof message.concat === "function" && "id" in message && message.id !== undefined
  );
}
