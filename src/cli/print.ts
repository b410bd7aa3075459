import { CliError, EXIT, type Problem } from "./cli-error.ts";
import { exact, readable } from "./readable.ts";

/** Options that every command has. */
export interface OutputOptions {
  json?: boolean;
}

/** Writes lines to standard output. */
export function printLines(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
}

/** Writes a result: as JSON for programs, as lines for people. */
export function printResult(options: OutputOptions, value: unknown, lines: () => readonly string[]): void {
  if (options.json === true) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  else printLines(lines());
}

/** Writes an error to standard error, in one line or as a JSON problem, and returns the exit code. */
export function printError(error: unknown, options: OutputOptions): number {
  const { problem, exitCode } = asCliError(error);
  const text = options.json === true ? JSON.stringify(problem) : oneLine(problem);
  process.stderr.write(`${text}\n`);
  if (process.env["COUNTERSIGN_DEBUG"] === "1" && error instanceof Error && error.stack !== undefined) {
    process.stderr.write(`${error.stack}\n`);
  }
  return exitCode;
}

/** A problem in one line: what is wrong, and the fields when there are any. */
export function oneLine(problem: Problem): string {
  const known = problem.errors ?? [];
  const fresh = known.filter(({ message }) => !problem.detail.includes(message));
  const fields = fresh.map(({ path, message }) => (path === "" ? message : `"${path}": ${message}`));
  return exact([problem.detail, ...fields].join(" ").replace(/\s*\n\s*/g, " "));
}

/** The text of an error for the screen of a running chat, line breaks kept. */
export function errorText(error: unknown): string {
  return readable(oneLine(asCliError(error).problem));
}

function asCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  const code =
    error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "failed";
  return new CliError({ title: "Failed", code, detail }, { exitCode: EXIT.failed, cause: error });
}
