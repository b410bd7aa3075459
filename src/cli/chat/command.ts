import type { Command } from "commander";
import { newCommand } from "../command.ts";
import type { ChatOptions } from "./chat.ts";

/** `countersign chat`: talk to the agent, approve in the terminal. */
export function chatCommand(): Command {
  return newCommand("chat", "talk to the agent; approve in the terminal; leave and come back")
    .option("--graph <name>", "the graph to talk to; default: agent, or that of the thread")
    .option("--thread <id>", "come back to this thread")
    .action(async (options: ChatOptions) => (await import("./chat.ts")).chat(options));
}
