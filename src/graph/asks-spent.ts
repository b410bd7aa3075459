import { HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { CallArtifact } from "./tool-message.ts";

/** A run asked as many questions as it may, was told so, and its model went on with calls that need an approval. */
export class AsksSpentError extends Error {
  readonly code = "asks_spent";
  /** The tools that were called. */
  readonly tools: readonly string[];

  constructor(tools: readonly string[]) {
    const names = [...new Set(tools)].map((name) => `"${name}"`).join(", ");
    super(
      `This run has asked as many questions as it may, and went on with calls of ${names} that need an approval. Nothing was done. Say something on the thread and it begins anew.`,
    );
    this.name = "AsksSpentError";
    this.tools = tools;
  }
}

/**
 * Ends a run that goes on after it was told that it may ask nothing more: in its second turn with such calls.
 *
 * @throws {AsksSpentError}
 */
export function endWhenAsksAreSpent(history: readonly BaseMessage[]): void {
  const run = history.slice(history.findLastIndex((message) => HumanMessage.isInstance(message)) + 1);
  const last = run.findLastIndex((message) => !ToolMessage.isInstance(message)) + 1;
  const spent = run.slice(last).filter(isSpent);
  if (spent.length === 0 || !run.slice(0, last).some(isSpent)) return;
  throw new AsksSpentError(spent.map(({ name }) => name ?? "unnamed"));
}

function isSpent(message: BaseMessage): boolean {
  if (!ToolMessage.isInstance(message)) return false;
  return (message.artifact as Partial<CallArtifact> | undefined)?.rule === "asksPerRun";
}
