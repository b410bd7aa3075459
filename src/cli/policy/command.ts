import type { Command } from "commander";
import { newCommand, newGroup } from "../command.ts";
import type { CheckOptions } from "./check.ts";
import type { LintOptions } from "./lint.ts";

/** `countersign policy …`: what a policy says, without running anything. */
export function policyCommand(): Command {
  const policy = newGroup("policy", "ask what a policy says of a call; nothing is run");
  policy.addCommand(
    withCall(newCommand("check", "say which tier a call gets, by which rules, and why")).action(
      async (options: CheckOptions) => (await import("./check.ts")).checkCall(options),
    ),
  );
  policy.addCommand(
    withCall(newCommand("explain", "explain a verdict in a short paragraph")).action(
      async (options: CheckOptions) => (await import("./explain.ts")).explainCall(options),
    ),
  );
  policy.addCommand(
    newCommand("lint", "read a policy file for what is wrong or probably not meant; exit code 1 on errors")
      .argument("<file>", "policy file, JSON, or careful, everyday, headless")
      .option("--risk <tool=tier>", "what a tool's author declares; once for each tool", collect)
      .option("--used <time>", "ask the server which rules counted for no call in this time, as 30d")
      .action(async (file: string, options: LintOptions) =>
        (await import("./lint.ts")).lintFile(file, options),
      ),
  );
  policy.addCommand(
    newCommand("schema", "print the JSON Schema of a policy").action(async () =>
      (await import("./schema.ts")).printSchema(),
    ),
  );
  return policy;
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function withCall(command: Command): Command {
  return command
    .requiredOption("--tool <name>", "the tool that would be called")
    .requiredOption("--args <json>", "its arguments, a JSON object")
    .option("--policy <file>", "policy file, or careful, everyday (default), headless")
    .option("--risk <tier>", "what the tool's author declares: auto, suggest, approve or deny")
    .option("--graph <name>", "ask the server, which knows the tools of this graph")
    .option("--thread <id>", "ask the server, as on this thread");
}
