import { isLoopback, serverAddress } from "../address.ts";
import { Client } from "../client.ts";
import { CliError } from "../cli-error.ts";
import { DEFAULT_STORE } from "../serve/command.ts";
import { findConfig } from "../serve/find-config.ts";
import { jwtFromEnvironment } from "../serve/jwt-options.ts";
import { startServer } from "../serve/start-server.ts";

/** A server to talk to, and what is known of it when it was started here. */
export interface Connection {
  client: Client;
  store: string | undefined;
  model: string | undefined;
  isBundled: boolean;
  /** Stops the server if it was started here. */
  stop(): Promise<void>;
}

/** Finds the server that answers at the address, or starts one there in this process, after saying so. */
export async function connect(
  onStart: () => void,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Connection> {
  const url = serverAddress(env);
  const client = new Client(url);
  if (url.port !== "0" && (await client.isUp())) {
    return { client, store: undefined, model: undefined, isBundled: false, stop: async () => undefined };
  }
  const isHere = url.protocol === "http:" && isLoopback(url.hostname) && url.pathname === "/";
  if (!isHere) {
    const detail = `No server answers at ${client.url}, and it is not an address where one can be started here. Look whether COUNTERSIGN_URL is right.`;
    throw new CliError({ title: "No server", code: "no_server", detail });
  }
  const { path, isBundled } = findConfig();
  onStart();
  const store = env["COUNTERSIGN_STORE"] ?? DEFAULT_STORE;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? 80 : Number(url.port);
  const server = await startServer({
    config: path,
    store,
    host,
    port,
    allowOrigins: [],
    jwt: jwtFromEnvironment(env),
    logger: { error: tellInDebug },
  });
  const model = isBundled ? modelWords(env["COUNTERSIGN_MODEL"]) : undefined;
  return { client: new Client(new URL(server.url)), store, model, isBundled, stop: () => server.stop() };
}

/** The screen belongs to the chat, and what fails in a run is shown there. */
function tellInDebug(message: string, error?: unknown): void {
  if (process.env["COUNTERSIGN_DEBUG"] !== "1") return;
  process.stderr.write(`${error instanceof Error ? (error.stack ?? message) : message}\n`);
}

function modelWords(model: string | undefined): string {
  if (model !== undefined && model !== "rehearsal") return model;
  return "the rehearsal model: plain requests by rules, no key, no AI";
}
