import type { Hono } from "hono";
import { setMaxListeners } from "node:events";
import { isoTime, keepDeadlines, type Desk } from "./desk/index.ts";
import type { Ledger } from "./ledger/index.ts";
import {
  createApp,
  keepThreads,
  listen,
  Log,
  readLimits,
  readOrigin,
  readTelling,
  keepUp,
  recover,
  SWEEPER,
  StartError,
  urlOf,
  type ErrorLogger,
  type JwtOptions,
  type Limits,
  type Listening,
  type NoticeOptions,
  type ServerParts,
  type Logger,
} from "./server/index.ts";
import { Closers } from "./wire/closers.ts";
import { openParts } from "./wire/server-parts.ts";

export {
  createToken,
  listTokens,
  revokeToken,
  backupStore,
  checkStore,
  restoreStore,
  verifyStore,
  type Backup,
  type Restored,
  type StoreCheck,
  type JwtOptions,
  type NewToken,
  type TokenView,
  type ErrorLogger,
  type Limits,
  type LogFields,
  type NoticeEvent,
  type NoticeOptions,
  type Logger,
} from "./server/index.ts";

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
  /** Hosts that webhooks may go to although their addresses are not public; `localhost` for this machine. */
  allowWebhookHosts?: readonly string[];
  /** Where approvals are told as they are asked, warned of, escalated and resolved; see `docs/operations.md`. */
  notices?: readonly NoticeOptions[];
  /** Where people reach the server, for links to it. Default: where it listens. */
  publicUrl?: string;
  /** Whose JWTs the server takes; see `docs/identity.md`. With it, everybody says who they are. */
  jwt?: JwtOptions;
  /** How often threads are looked for whose time to live is over, in milliseconds. Default: every minute. */
  sweepEveryMs?: number;
  /** Milliseconds since 1970, for deadlines. */
  clock?: () => number;
  /**
   * Is told what happens, as `pino` is: fields first, then a line. One with `error` alone is told what went wrong where
   * no client can be, message first. Default: such errors go to standard error, and nothing else is told.
   */
  logger?: Logger | ErrorLogger;
  /** What the server takes at most; see `docs/operations.md`. */
  limits?: Partial<Limits>;
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
  const log = new Log(options.logger);
  const onError = (error: unknown, about?: { error_id: string }): void => log.error(error, about);
  const limits = readLimits(options.limits);
  if (!/^(file:|postgres(ql)?:)/.test(store))
    throw new StartError("bad_store", `"store" cannot be kept: give "file:./state.db" or "postgres://…".`);
  // Before the store is opened, so that a refused start leaves none behind.
  allowOrigins.forEach(readOrigin);
  const telling = readTelling(options);
  const closing = new AbortController();
  // Each open stream listens to it.
  setMaxListeners(0, closing.signal);
  const closers = new Closers(onError);
  try {
    const parts = await openParts({
      ...{ config, store, host, allowOrigins, clock, log, limits, onError, onClose: closers.add },
      ...{ jwt: options.jwt, closing: closing.signal, telling },
    });
    const { ledger, desk, manager, ports, processes, sockets, tail } = parts;
    const app = createApp(parts);

    let listening: Listening | null = null;
    let stopKeeping: (() => Promise<void>)[] = [];
    let stopUpkeep = (): Promise<void> => Promise.resolve();
    let stopped: Promise<void> | null = null;
    const stop = async (): Promise<void> => {
      parts.health.end();
      for (const stopOne of stopKeeping) await stopOne();
      await manager.stop(STOP_MS);
      // Until then it shows that it is alive, so that nobody takes over what still runs.
      await stopUpkeep();
      closing.abort();
      await listening?.close(CLOSE_MS);
      await processes.leave();
      tail.close();
      await closers.close();
      if (listening) log.info("server stopped");
    };
    const onLost = (): void => {
      const message =
        "Other processes took this one for gone and have taken over its runs. It stops: start it again.";
      onError(new StartError("process_lost", message));
      void (stopped ??= stop()).catch(onError);
    };
    return {
      ...{ app, ledger, desk },
      get url() {
        return listening?.url ?? urlOf(host, port);
      },
      async start() {
        if (listening) return { url: listening.url };
        await processes.join(isoTime(clock));
        await processes.look();
        await processes.takeDuty(SWEEPER);
        await tail.open();
        await parts.telling.open();
        await recover(ports, manager);
        listening = await listen(app, { host, port, sockets, limits });
        log.info("server started", { url: listening.url, pid: process.pid });
        await parts.telling.start(listening.url);
        stopKeeping = keepAll(parts, options.sweepEveryMs);
        const onGone = (): Promise<void> => parts.telling.webhooks.takeUp();
        stopUpkeep = keepUp({ ports, manager, processes, tail, onLost, onGone });
        return { url: listening.url };
      },
      stop: () => (stopped ??= stop()),
    };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** Does what one process does for all, while it is this one's duty. Gives how to stop each. */
function keepAll(parts: ServerParts, everyMs: number | undefined): (() => Promise<void>)[] {
  const { desk, ports, processes } = parts;
  const { ledger, clock } = ports;
  const onError = (error: unknown): void => ports.onError(error);
  const isMine = (): boolean => processes.has(SWEEPER);
  return [keepDeadlines(desk, ledger, { clock, onError, isMine }), keepThreads(parts, { everyMs, isMine })];
}
