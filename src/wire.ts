import type { Hono } from "hono";
import { setMaxListeners } from "node:events";
import { keepDeadlines, type Desk } from "./desk/index.ts";
import type { Ledger } from "./ledger/index.ts";
import {
  createApp,
  listen,
  readOrigin,
  recover,
  StartError,
  takeStore,
  urlOf,
  type Listening,
  type StoreLease,
} from "./server/index.ts";
import { openParts } from "./wire/server-parts.ts";

export { verifyStore } from "./server/index.ts";

export interface ServerOptions {
  /** The path of a `langgraph.json`, or the compiled graphs themselves. */
  config: string | { graphs: Record<string, unknown> };
  /** `file:./state.db` or `postgres://…`: checkpoints, ledger and the server's own tables. */
  store: string;
  /** Default 4100; 0 takes a free one. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** Origins whose pages may use the server, as `https://example.com`. */
  allowOrigins?: readonly string[];
  /** Milliseconds since 1970, for deadlines. */
  clock?: () => number;
  /** Is told what went wrong where no client can be. Default: standard error. */
  logger?: { error: (message: string, error?: unknown) => void };
  /**
   * Lets several servers use one SQLite file at once. Not yet supported: a server that starts takes the runs that are
   * live in another one for runs that were cut off.
   */
  shared?: boolean;
}

/** A server with its parts. It runs nothing and listens to nothing before `start`. */
export interface CountersignServer {
  app: Hono;
  /** Where it listens; before `start`, where it will, as far as that is known. */
  readonly url: string;
  ledger: Ledger;
  desk: Desk;
  start(): Promise<{ url: string }>;
  /** Lets running tools finish for 10 s at most and closes the store. What was cut off goes on at the next start. */
  stop(): Promise<void>;
}

/** How long running tools and open requests are waited for, in milliseconds. */
const STOP_MS = 10_000;
const CLOSE_MS = 2_000;

/**
 * Makes a server for graphs: the LangGraph API, approvals and the audit, on one store.
 *
 * @throws {StartError | LedgerError} with a `code` and one line that says what is wrong and what to do.
 *
 * @example
 * const server = await createServer({ config: "langgraph.json", store: "file:.countersign/state.db" });
 * const { url } = await server.start();
 */
export async function createServer(options: ServerOptions): Promise<CountersignServer> {
  const { config, store, port = 4100, host = "127.0.0.1", allowOrigins = [], clock = Date.now } = options;
  const onError = errorsTo(options.logger);
  if (!/^(file:|postgres(ql)?:)/.test(store))
    throw new StartError("bad_store", `"store" cannot be kept: give "file:./state.db" or "postgres://…".`);
  // Before the store is opened, so that a refused start leaves none behind.
  allowOrigins.forEach(readOrigin);
  const closing = new AbortController();
  // Each open stream listens to it.
  setMaxListeners(0, closing.signal);
  const closers: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.reverse().splice(0)) await close().catch(onError);
  };
  const onClose = (close: () => Promise<void>): void => void closers.push(close);
  try {
    const parts = await openParts({
      ...{ config, store, host, allowOrigins, clock, onError, onClose, closing: closing.signal },
    });
    const { ledger, desk, database, manager, ports, sockets } = parts;
    const app = createApp(parts);

    let listening: Listening | null = null;
    let lease: StoreLease | null = null;
    let stopDeadlines = (): Promise<void> => Promise.resolve();
    let stopped: Promise<void> | null = null;
    const stop = async (): Promise<void> => {
      await stopDeadlines();
      await manager.stop(STOP_MS);
      closing.abort();
      await listening?.close(CLOSE_MS);
      await lease?.release();
      await closeAll();
    };
    const onLost = (): void => void (stopped ??= stop()).catch(onError);
    return {
      ...{ app, ledger, desk },
      get url() {
        return listening?.url ?? urlOf(host, port);
      },
      async start() {
        if (listening) return { url: listening.url };
        if (!options.shared) lease ??= await takeStore(database, { onError, onLost });
        await recover(ports, manager);
        listening = await listen(app, { host, port, sockets });
        stopDeadlines = keepDeadlines(desk, ledger, { clock, onError });
        return { url: listening.url };
      },
      stop: () => (stopped ??= stop()),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function errorsTo(logger: ServerOptions["logger"]): (error: unknown) => void {
  if (logger) return (error) => logger.error(error instanceof Error ? error.message : String(error), error);
  return (error) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${text}\n`);
  };
}
