import { ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import type { IdentifiedCall } from "./history.ts";

/** What a tool tells the model by a command, and the command with exactly that answer to its call in it. */
export function answerCommand(command: Command, call: IdentifiedCall): { command: Command; text: string } {
  const own = updatesOf(command)
    .flatMap(([channel, value]) => (channel === "messages" ? [value].flat() : []))
    .find((one) => ToolMessage.isInstance(one) && one.tool_call_id === call.id);
  if (ToolMessage.isInstance(own)) return { command, text: own.text };
  const text = "Done.";
  // A command for another graph answers nothing in this one.
  if (command.graph !== undefined) return { command, text };
  const message = new ToolMessage({ content: text, tool_call_id: call.id, name: call.name });
  const { resume, goto } = command;
  const update: [string, unknown][] = [...updatesOf(command), ["messages", [message]]];
  return {
    command: new Command({
      update,
      ...(resume !== undefined && { resume }),
      ...(goto !== undefined && { goto }),
    }),
    text,
  };
}

function updatesOf({ update }: Command): [string, unknown][] {
  if (Array.isArray(update)) return update;
  return typeof update === "object" && update !== null ? Object.entries(update) : [];
}
