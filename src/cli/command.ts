import { Command } from "commander";

/** A command with the option that all of them have. */
export function newCommand(name: string, summary: string): Command {
  return new Command(name)
    .description(summary)
    .option("--json", "print JSON for programs; errors as a JSON problem on standard error");
}

/** A command that only holds others. */
export function newGroup(name: string, summary: string): Command {
  return new Command(name).description(summary);
}
