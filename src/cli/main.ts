#!/usr/bin/env node
import { CommanderError } from "commander";
import { EXIT, usageError, type CliError } from "./cli-error.ts";
import { printError } from "./print.ts";
import { program } from "./program.ts";

// A reader that has seen enough, such as `head`, closes its end: that is no error of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? EXIT.ok : EXIT.failed);
});

try {
  await program().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  const options = { json: process.argv.includes("--json") };
  if (!(error instanceof CommanderError)) return printError(error, options);
  // Help and version are asked for and end with 0; help that nobody asked for stands for a missing command.
  if (error.exitCode === 0) return EXIT.ok;
  if (error.code === "commander.help") {
    return options.json ? printError(usageError("No command was given."), options) : EXIT.usage;
  }
  return printError(asUsage(error), options);
}

function asUsage(error: CommanderError): CliError {
  const text = error.message
    .replace(/^error: /, "")
    .replace(/\s*\n\s*/g, " ")
    .replace(/\.+$/, "");
  return usageError(
    `${text.charAt(0).toUpperCase()}${text.slice(1)}. "countersign --help" lists what there is.`,
  );
}
