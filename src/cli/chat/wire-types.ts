/** An event of the server, live or inside a run's stream. */
export interface WireEvent {
  type: string;
  seq: number;
  run_id: string | null;
  [field: string]: unknown;
}

/** A message as the LangGraph API sends it. */
export interface WireMessage {
  type: string;
  content: string | { type: string; text?: string }[];
  id?: string | null;
  tool_calls?: { name: string; args: unknown; id?: string }[];
  /** Of a tool message: the call it answers, and how that ended. */
  tool_call_id?: string;
  status?: string;
  artifact?: { outcome?: string } | null;
}

/** A thread as the LangGraph API sends it. */
export interface WireThread {
  thread_id: string;
  status: "idle" | "busy" | "interrupted" | "error";
  metadata?: Record<string, unknown> | null;
  values?: { messages?: WireMessage[] } | null;
}

/** The text of a message; parts that are no text are left out. */
export function textOf({ content }: Pick<WireMessage, "content">): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
}

/** Whether a message is the agent's own, in whole or a piece of it. */
export function isFromAgent({ type }: Pick<WireMessage, "type">): boolean {
  return type === "ai" || type === "AIMessageChunk";
}

/** The event that a line of a stream holds; undefined when it holds none. */
export function readEvent(data: string): WireEvent | undefined {
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value !== "object" || value === null) return undefined;
    const { type, seq } = value as Partial<WireEvent>;
    return typeof type === "string" && typeof seq === "number" ? (value as WireEvent) : undefined;
  } catch {
    return undefined;
  }
}
