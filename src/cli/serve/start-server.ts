import { isLoopback } from "../address.ts";
import { CliError, usageError } from "../cli-error.ts";

/** What a server is started with. */
export interface ServerSettings {
  config: string;
  store: string;
  host: string;
  port: number;
  allowOrigins: string[];
  /** Is told, in one line, what went wrong where no client can be. */
  onError: (message: string) => void;
}

/** A server that listens. */
export interface RunningServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts a server in this process.
 *
 * @throws {CliError} `not_loopback`; else what the server's own start refuses, in one line.
 */
export async function startServer(settings: ServerSettings): Promise<RunningServer> {
  if (!isLoopback(settings.host)) throw notLoopback(settings.host);
  for (const origin of settings.allowOrigins) checkOrigin(origin);
  // Loaded only now, so that commands that need no server start at once.
  const { createServer } = await import("../../wire.ts");
  const { onError, ...options } = settings;
  const server = await createServer({ ...options, logger: { error: tell(onError) } });
  try {
    const { url } = await server.start();
    return { url: url.replace(/\/$/, ""), stop: () => server.stop() };
  } catch (error) {
    await server.stop().catch(() => undefined);
    throw isTaken(error) ? portTaken(settings, error) : error;
  }
}

function tell(onError: ServerSettings["onError"]) {
  return (message: string, error?: unknown): void => {
    const isDebug = process.env["COUNTERSIGN_DEBUG"] === "1";
    onError(isDebug && error instanceof Error ? (error.stack ?? message) : message.replace(/\s*\n\s*/g, " "));
  };
}

function notLoopback(host: string): CliError {
  const detail =
    `--host is "${host}", which others can reach, and this version cannot tell who they are. ` +
    "Serve on 127.0.0.1 and put something that asks for a login in front.";
  return new CliError({ title: "Not loopback", code: "not_loopback", detail });
}

function checkOrigin(origin: string): void {
  const isOrigin = URL.canParse(origin) && new URL(origin).origin === origin;
  if (isOrigin) return;
  throw usageError(
    `--allow-origin is "${origin}", which is no origin; write it like "http://localhost:3000".`,
  );
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "port_in_use";
}

function portTaken({ host, port }: ServerSettings, cause: unknown): CliError {
  const detail = `Port ${port} of ${host} is taken. Stop what listens there, or give another one with --port.`;
  return new CliError({ title: "Port taken", code: "port_taken", detail }, { cause });
}
