import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { openDesk } from "../desk/index.ts";
import { readsPolicy, schemasOf } from "../graph/schemas-of.ts";
import { openLedger, type Ledger } from "../ledger/index.ts";
import { openDatabase } from "../ledger/sql/index.ts";
import {
  assertHarmlessStart,
  closeCalls,
  DecisionLimit,
  Feeds,
  forgetAnswers,
  forgetRun,
  forgetThread,
  Graphs,
  headOf,
  Health,
  isGraph,
  LaneLeases,
  ItemStore,
  loadGraphs,
  Metrics,
  observe,
  openAssistants,
  openCheckpointer,
  openIdentity,
  OpenStreams,
  openTraces,
  Processes,
  readNamedPolicies,
  readVersion,
  RunManager,
  RunRegistry,
  Runs,
  Sessions,
  Sockets,
  StartError,
  Tail,
  Threads,
  threadsSeenBy,
  Telling,
  Told,
  unwrap,
  type GraphSource,
  type Limits,
  type JwtOptions,
  type Log,
  type Principal,
  type RunPorts,
  type Served,
  type ServerParts,
  type TellingSettings,
} from "../server/index.ts";
import { assertIdentities } from "./identities.ts";
import { openMasks } from "./masks.ts";
import { migrate } from "./migrate.ts";
import { closingWords, gatesOf, graphPortsOf, modesOf } from "./graph-side.ts";
import { judgeWith } from "./judge-with.ts";

/** What a server is made from. */
export interface PartsOptions {
  config: string | { graphs: Record<string, unknown> };
  store: string;
  host: string;
  allowOrigins: readonly string[];
  telling: TellingSettings;
  jwt: JwtOptions | undefined;
  clock: () => number;
  onError: (error: unknown, about?: { error_id: string }) => void;
  log: Log;
  limits: Limits;
  /** Aborts when the server stops. */
  closing: AbortSignal;
  /** Takes what is to be closed when the server stops, last opened first. */
  onClose: (close: () => Promise<void>) => void;
}

/**
 * Opens the store, loads the graphs and makes all that a server works with. Nothing runs yet.
 *
 * @throws {StartError | LedgerError}
 */
export async function openParts(options: PartsOptions): Promise<ServerParts & { ledger: Ledger }> {
  const { store, clock, onError, onClose, host } = options;
  const database = await openDatabase(store);
  onClose(() => database.close());
  const ledger = await openLedger(database);
  onClose(() => ledger.close());
  await migrate(database);
  const identity = await openIdentity({ database, host, jwt: options.jwt, clock, onError });
  const processes = new Processes(database);
  const checkpointer = await openCheckpointer(store, database, processes.owner_id);
  onClose(() => checkpointer.close());
  const graphPorts = graphPortsOf({ ledger, clock, maxPending: options.limits.pendingPerThread });
  const { sources, ttl } = await graphPorts.enter(() => servedBy(options.config));
  const items = new ItemStore(database, clock);
  const graphs = new Graphs(sources, checkpointer.saver, items);
  const { masks, masksOf } = await openMasks({ database, ledger, graphs, log: options.log, ...graphPorts });
  await graphPorts.enter(() => assertIdentities(graphs, identity, database.url));
  const ports: RunPorts = {
    ...graphPorts,
    ...{ graphs, ledger, clock, onError, masks, desk: openDesk(ledger, { clock, onError, masksOf }) },
    ...{ threads: new Threads(database), runs: new Runs(database), log: options.log },
    leases: new LaneLeases(database, processes.owner_id),
    ...{ registry: new RunRegistry(), feeds: new Feeds(), told: new Told() },
    assertHarmless: (row, run) => assertHarmlessStart(parts, row, run),
    forgetAnswers: (record) => forgetAnswers(parts, record),
    headOf: (thread_id) => headOf(database, thread_id),
    closeCalls: (thread_id, reason, by) => closeCalls(parts, thread_id, { reason, by }),
    forgetRun: (record) => forgetRun(parts, record),
  };
  const version = await readVersion();
  const streams = new OpenStreams(options.limits);
  const metrics = new Metrics({
    approvals_pending: () => ledger.countApprovals({ status: "pending" }),
    streams_open: () => streams.size,
    threads_busy: () => ports.threads.count("busy"),
  });
  onClose(async () => metrics.close());
  const traces = await openTraces(version);
  if (traces) onClose(() => traces.close());
  const stopObserving = observe(ledger, { log: options.log, metrics, traces });
  onClose(async () => stopObserving());
  const telling = new Telling(ports, database, options.telling);
  onClose(() => telling.stop());
  const manager = new RunManager(ports, {
    onEnded: ({ run, record, stored }, outcome) => {
      if (stored.isTemporary && outcome.status !== "drained") void forgetThread(parts, run);
      if (record.webhook !== null) telling.webhooks.tell(record, outcome, run.result);
    },
  });
  const parts = {
    ...{ processes, tail: new Tail(ledger) },
    ...{ ledger, ports, manager, checkpointer, items, database, schemasOf, closingWords, identity, ttl },
    threadsSeenBy: (principal: Principal) => threadsSeenBy(database, principal),
    ...{ host, allowOrigins: options.allowOrigins, closing: options.closing },
    ...{ sessions: new Sessions(ports), sockets: new Sockets(options.limits) },
    desk: openDesk(ledger, { clock, onError, masksOf, resume: (approval) => manager.wake(approval) }),
    assistants: await openAssistants({ ...graphPorts, database, graphs, checkpointer, clock, readsPolicy }),
    ...{ limits: options.limits, log: options.log, streams },
    ...{ decisions: new DecisionLimit(options.limits), metrics, traces },
    ...{ telling, mayReach: options.telling.mayReach, health: new Health(database) },
    judge: judgeWith(graphs, ledger, clock),
    modeOf: modesOf(graphs),
    isGated: gatesOf(graphs),
    readsPolicy: async (graph_id: string) => readsPolicy(await graphs.get(graph_id)),
    policies: await readNamedPolicies(),
    version,
    langgraphVersion: langgraphVersion(),
  };
  return parts;
}

async function servedBy(config: PartsOptions["config"]): Promise<Served> {
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
  return { sources, ttl: null };
}

function langgraphVersion(): string {
  const path = createRequire(import.meta.url).resolve("@langchain/langgraph/package.json");
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
