import { visible } from "../../policy/visible.ts";
import { shownFields } from "./shown.ts";

/** What a log line tells besides its words: ids, names and numbers, and never what somebody wrote. */
export type LogFields = Record<string, unknown>;

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Takes log lines as `pino` does: fields first, then one line of text. */
export type Logger = Record<LogLevel, (fields: LogFields, message: string) => void>;

/** Takes only what went wrong where no client can be told. */
export interface ErrorLogger {
  error: (message: string, error?: unknown) => void;
  info?: undefined;
}

/** Where the server's log lines go. Telling it something never throws. */
export class Log {
  readonly #logger: Logger;
  #hide = (text: string): string => text;

  /** @param logger one with `info` is a {@link Logger}; without one, errors go to standard error. */
  constructor(logger: Logger | ErrorLogger = standardError) {
    this.#logger = logger.info === undefined ? errorsOnly(logger) : logger;
  }

  /** From now on the log hides what `hide` hides. */
  hideWith(hide: (text: string) => string): void {
    this.#hide = hide;
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#tell("debug", message, fields);
  }

  info(message: string, fields: LogFields = {}): void {
    this.#tell("info", message, fields);
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#tell("warn", message, fields);
  }

  /** Tells of an error that is the server's own. */
  error(error: unknown, fields: LogFields = {}): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#tell("error", message, { ...fields, err: error });
  }

  #tell(level: LogLevel, message: string, fields: LogFields): void {
    try {
      this.#logger[level](shownFields(fields, this.#hide), visible(this.#hide(message)));
    } catch {
      // A log that cannot be written is no reason to stop what it tells of.
    }
  }
}

const standardError: ErrorLogger = {
  error: (message, error) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : message;
    process.stderr.write(`${text}\n`);
  },
};

function errorsOnly(logger: ErrorLogger): Logger {
  const nothing = (): void => undefined;
  return {
    ...{ debug: nothing, info: nothing, warn: nothing },
    error: ({ err, error_id }, message) =>
      logger.error(typeof error_id === "string" ? `${message} (${error_id})` : message, err),
  };
}
