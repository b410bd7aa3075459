import type { ErrorLogger, JwtOptions, Logger } from "../../wire.ts";
import { CliError, usageError } from "../cli-error.ts";

/** What a server is started with. */
export interface ServerSettings {
  config: string;
  store: string;
  host: string;
  port: number;
  allowOrigins: string[];
  /** Hosts that webhooks may go to although their addresses are not public. */
  allowWebhookHosts?: string[];
  /** Whose JWTs it takes; `undefined`: nobody's. */
  jwt: JwtOptions | undefined;
  logger: Logger | ErrorLogger;
}

/** A server that listens. */
export interface RunningServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts a server in this process.
 *
 * @throws {Error} what the server's own start refuses, in one line.
 */
export async function startServer({ jwt, ...settings }: ServerSettings): Promise<RunningServer> {
  // Loaded only now, so that commands that need no server start at once.
  const { createServer } = await import("../../wire.ts");
  const server = await createServer({ ...settings, ...(jwt && { jwt }) }).catch(refuse);
  try {
    const { url } = await server.start();
    return { url: url.replace(/\/$/, ""), stop: () => server.stop() };
  } catch (error) {
    await server.stop().catch(() => undefined);
    throw hasCode(error, "port_in_use") ? portTaken(settings, error) : error;
  }
}

/** An origin comes from the command line, so a bad one is a mistake in it. */
function refuse(error: unknown): never {
  throw hasCode(error, "bad_origin") ? usageError(`--allow-origin: ${error.message}`) : error;
}

function hasCode(error: unknown, code: string): error is Error {
  return error instanceof Error && "code" in error && error.code === code;
}

function portTaken({ host, port }: Pick<ServerSettings, "host" | "port">, cause: unknown): CliError {
  const detail = `Port ${port} of ${host} is taken. Stop what listens there, or give another one with --port.`;
  return new CliError({ title: "Port taken", code: "port_taken", detail }, { cause });
}
