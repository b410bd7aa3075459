import type { ToolMessage } from "@langchain/core/messages";

/** How a call ended, as far as its tool message says. */
export type CallEnd =
  | { kind: "done"; text: string }
  | { kind: "responded"; text: string }
  | { kind: "failed"; text: string }
  | { kind: "rejected"; reason: string }
  | { kind: "cancelled"; reason: string }
  | { kind: "expired" }
  | { kind: "unavailable" }
  | { kind: "unknown"; text: string }
  /** Not done for another reason (a policy, bad arguments), which the text names. */
  | { kind: "refused"; text: string };

/** Reads a tool message: its status, the outcome in its artifact, and the reason somebody gave. */
export function endOf(message: ToolMessage): CallEnd {
  const text = message.text.trim();
  const outcome = outcomeIn(message.artifact);
  switch (outcome) {
    case "rejected":
    case "cancelled":
      return { kind: outcome, reason: reasonIn(text) };
    case "expired":
    case "unavailable":
      return { kind: outcome };
    case "unknown":
    case "responded":
      return { kind: outcome, text };
    case "denied":
    case "invalid":
    case "blocked":
      return { kind: "refused", text: reasonIn(text) };
    default:
      return message.status === "error" ? { kind: "failed", text } : { kind: "done", text };
  }
}

function outcomeIn(artifact: unknown): string | undefined {
  if (typeof artifact !== "object" || artifact === null || !("outcome" in artifact)) return undefined;
  return typeof artifact.outcome === "string" ? artifact.outcome : undefined;
}

/** The reason in a text that says "Reason: …", else the text without the instructions it gives a model. */
function reasonIn(text: string): string {
  const quoted = /\breason:\s*("(?:[^"\\]|\\.)*")/iu.exec(text)?.[1];
  if (quoted !== undefined) {
    try {
      return String(JSON.parse(quoted));
    } catch {
      return quoted;
    }
  }
  return text
    .replace(/^Nothing was done:\s*/u, "")
    .replace(/\s*(?:Do not repeat this call|Correct it|Take another way)\b.*$/su, "")
    .replace(
      /^(?:a reviewer rejected this call|the question whether this call may run was withdrawn)\.$/u,
      "",
    )
    .trim();
}
