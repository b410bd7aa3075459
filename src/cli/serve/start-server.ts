import type { ErrorLogger, JwtOptions, Logger, NoticeOptions } from "../../wire.ts";
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
  /** Where approvals are told. */
  notices?: NoticeOptions[];
  /** Where people reach the server, for links to it. */
  publicUrl?: string;
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

/** What comes from the command line, and so is a mistake in it when it is bad. */
const OPTIONS = {
  bad_origin: "--allow-origin",
  bad_notice: "--notify",
  bad_public_url: "--public-url",
};

function refuse(error: unknown): never {
  for (const [code, option] of Object.entries(OPTIONS))
    if (hasCode(error, code)) throw usageError(`${option}: ${error.message}`);
  throw error;
}

function hasCode(error: unknown, code: string): error is Error {
  return error instanceof Error && "code" in error && error.code === code;
}

function portTaken({ host, port }: Pick<ServerSettings, "host" | "port">, cause: unknown): CliError {
  const detail = `Port ${port} of ${host} is taken. Stop what listens there, or give another one with --port.`;
  return new CliError({ title: "Port taken", code: "port_taken", detail }, { cause });
}
