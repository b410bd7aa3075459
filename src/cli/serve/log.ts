import { pino } from "pino";
import type { Logger } from "../../wire.ts";
import { logLine } from "./log-line.ts";
import type { LogFormat, LogLevel } from "./log-settings.ts";

/** How much may wait for a reader of standard error that does not read; what comes then is dropped. In bytes. */
const MAX_WAITING = 256 * 1024;

/**
 * Opens the log. What cannot be written, since nobody reads it or the disk is full, is lost, and nothing waits for it.
 *
 * @param format default: text where a person looks on, else a line of JSON for each.
 */
export function openLog(level: LogLevel, format?: LogFormat): Logger {
  const hasStack = level === "debug" || process.env["COUNTERSIGN_DEBUG"] === "1";
  const { stderr } = process;
  stderr.on("error", () => undefined);
  const isText = (format ?? (stderr.isTTY ? "text" : "json")) === "text";
  // Not through pino's own destination: a write to a pipe that nobody empties would hold a thread, and with it the exit.
  const write = (line: string): void => {
    if (stderr.writableLength < MAX_WAITING) stderr.write(isText ? logLine(line) : line);
  };
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // The stack is for whoever looks for the fault; what else hangs at an error may hold anything.
      serializers: { err: (error: unknown) => shownError(error, hasStack) },
    },
    { write },
  );
}

function shownError(error: unknown, hasStack: boolean): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const code = (error as { code?: unknown }).code;
  return { name, message, ...(typeof code === "string" && { code }), ...(hasStack && { stack }) };
}
