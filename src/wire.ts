import { createGraphRunStream, RunControl } from "@langchain/langgraph";
import type { Hono } from "hono";
import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { keepDeadlines, openDesk, type Desk } from "./desk/index.ts";
import { optionsOf } from "./graph/door.ts";
import type { GateOptions } from "./graph/gate-parts.ts";
import { announceHost, executionsOf, seal, type ApprovalGraph, type Host } from "./graph/index.ts";
import { closing, unanswered } from "./graph/history.ts";
import { Judge } from "./graph/judge.ts";
import { overlaysOf } from "./graph/overlays.ts";
import { readsPolicy, schemasOf } from "./graph/schemas-of.ts";
import { refusalText } from "./graph/texts.ts";
import { generalFacts, shelve, type Tool } from "./graph/tool-shelf.ts";
import { openLedger, type Ledger } from "./ledger/index.ts";
import { openDatabase } from "./ledger/sql/index.ts";
import { definePolicy } from "./policy/index.ts";
import {
  closeCalls,
  createApp,
  Feeds,
  forgetRun,
  forgetThread,
  headOf,
  Graphs,
  isGraph,
  itemMigrations,
  ItemStore,
  listen,
  loadGraphs,
  openAssistants,
  openCheckpointer,
  readNamedPolicies,
  readVersion,
  recover,
  RunManager,
  RunRegistry,
  Runs,
  serverMigrations,
  Sessions,
  Sockets,
  StartError,
  takeStore,
  Threads,
  unwrap,
  urlOf,
  Webhooks,
  type ClosingPort,
  type GraphPorts,
  type GraphSource,
  type JudgePort,
  type Listening,
  type RunPorts,
  type RunRow,
  type ServerParts,
  type StoreLease,
} from "./server/index.ts";

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

// Which server the graph that runs right now belongs to: there may be several in a process.
const hosts = new AsyncLocalStorage<Host>();

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
  const { store, port = 4100, host = "127.0.0.1", allowOrigins = [], clock = Date.now } = options;
  const onError = errorsTo(options.logger);
  if (!/^(file:|postgres(ql)?:)/.test(store))
    throw new StartError("bad_store", `"store" cannot be kept: give "file:./state.db" or "postgres://…".`);
  announceHost(() => hosts.getStore());
  const closers: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.reverse().splice(0)) await close().catch(onError);
  };
  try {
    const database = await openDatabase(store);
    closers.push(() => database.close());
    const ledger = await openLedger(database);
    closers.push(() => ledger.close());
    await database.migrate("server", serverMigrations);
    await database.migrate("items", itemMigrations);
    const checkpointer = await openCheckpointer(store, database);
    closers.push(() => checkpointer.close());
    const graphPorts = portsOf({ ledger, clock });
    const sources = await graphPorts.enter(() => sourcesOf(options.config));
    const items = new ItemStore(database, clock);
    const graphs = new Graphs(sources, checkpointer.saver, items);
    const records = {
      ...{ threads: new Threads(database), runs: new Runs(database) },
      ...{ registry: new RunRegistry(), feeds: new Feeds() },
      headOf: (thread_id: string) => headOf(database, thread_id),
      closeCalls: (thread_id: string, reason: string) =>
        closeCalls(parts, thread_id, { reason, by: { kind: "user" } }),
      forgetRun: (record: RunRow) => forgetRun(parts, record),
    };
    const base = { ...graphPorts, ...records, graphs, ledger, clock, onError };
    const ports: RunPorts = { ...base, desk: openDesk(ledger, { clock, onError }) };
    const webhooks = new Webhooks(ports);
    const manager = new RunManager(ports, {
      onEnded: ({ run, record, stored }, outcome) => {
        if (stored.isTemporary && outcome.status !== "drained") void forgetThread(parts, run);
        if (record.webhook !== null) webhooks.tell(record, outcome, run.result);
      },
    });
    const desk = openDesk(ledger, { clock, onError, resume: (approval) => manager.wake(approval) });
    const closing = new AbortController();
    const sockets = new Sockets();
    const parts: ServerParts = {
      ...{ sessions: new Sessions(ports), sockets },
      assistants: await openAssistants({ ...graphPorts, database, graphs, checkpointer, clock, readsPolicy }),
      ...{
        schemasOf,
        desk,
        ports,
        manager,
        checkpointer,
        items,
        database,
        host,
        allowOrigins,
        closing: closing.signal,
      },
      judge: judgeWith(graphs),
      isGated: async (graph_id) => madeWith(await graphs.get(graph_id)) !== undefined,
      closingWords: closingPort,
      policies: await readNamedPolicies(),
      version: await readVersion(),
      langgraphVersion: langgraphVersion(),
    };
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

async function sourcesOf(config: ServerOptions["config"]): Promise<Record<string, GraphSource>> {
  if (typeof config === "string") return loadGraphs(config);
  const sources: Record<string, GraphSource> = {};
  for (const [graph_id, given] of Object.entries(config.graphs)) {
    const graph = unwrap(given);
    if (!isGraph(graph) && typeof graph !== "function")
      throw new StartError(
        "graph_load_failed",
        `"config.graphs.${graph_id}" is no compiled graph and no function.`,
      );
    sources[graph_id] = graph as GraphSource;
  }
  return sources;
}

function portsOf(host: Host & { clock: () => number }): GraphPorts {
  return {
    enter: (work) => hosts.run(host, work),
    seal: (approval_id) => seal(approval_id),
    newDrain: () => new RunControl(),
    translate: (pieces, graph) =>
      createGraphRunStream(
        pieces as Parameters<typeof createGraphRunStream>[0],
        graph.streamTransformers ?? [],
      ),
    executionsIdle: () => executionsOf(host.ledger).idle(),
  };
}

/** Judges as a graph's own gate does. */
function judgeWith(graphs: Graphs): JudgePort {
  return async (graph_id, call, { policy, context }) => {
    const made = madeWith(await graphs.get(graph_id));
    if (made === undefined) return null;
    const shelf = shelve(made.tools);
    const rule = definePolicy(policy ?? made.policy ?? { version: 1 }, { tools: generalFacts(shelf) });
    const judgement = new Judge(rule, shelf).judge(call, overlaysOf(context));
    return judgement.kind === "judged" ? { kind: "judged", verdict: judgement.verdict } : judgement;
  };
}

/** What an agent with a gate of ours was made with; other graphs of LangGraph have none that could be asked. */
function madeWith(graph: unknown): (GateOptions & { tools: readonly Tool[] }) | undefined {
  // Its door may be of another copy of this package, so what it was made with is asked for, and not its class.
  const made = optionsOf(graph as ApprovalGraph) as (GateOptions & { tools?: readonly Tool[] }) | undefined;
  return made?.tools === undefined ? undefined : { ...made, tools: made.tools };
}

const closingPort: ClosingPort = {
  text: refusalText,
  messages: (messages, known) =>
    unanswered(messages)?.calls.map((call) => closing(call, known.get(call.id))) ?? [],
};

function errorsTo(logger: ServerOptions["logger"]): (error: unknown) => void {
  if (logger) return (error) => logger.error(error instanceof Error ? error.message : String(error), error);
  return (error) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${text}\n`);
  };
}

function langgraphVersion(): string {
  const path = createRequire(import.meta.url).resolve("@langchain/langgraph/package.json");
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
