import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { Desk, Outlook } from "../desk/index.ts";
import type { Args, Call } from "../ledger/index.ts";
import type { Database, ThreadIds } from "../ledger/sql/index.ts";
import type { Mode, Verdict } from "../policy/index.ts";
import type { Assistants } from "./assistants/assistants.ts";
import type { Checkpointer } from "./database/checkpointer.ts";
import type { ItemStore } from "./items/item-store.ts";
import type { Ttl } from "./keeping/ttl.ts";
import type { RunnableGraph } from "./graphs/graphs.ts";
import type { Sessions } from "./protocol/sessions.ts";
import type { RunManager } from "./runs/run-manager.ts";
import type { RunPorts } from "./runs/run-ports.ts";
import type { Processes } from "./processes/processes.ts";
import type { Tail } from "./processes/tail.ts";
import type { DecisionLimit } from "./guards/limit-decisions.ts";
import type { Limits } from "./guards/limits.ts";
import type { OpenStreams } from "./guards/open-streams.ts";
import type { Health } from "./observing/health.ts";
import type { Log } from "./observing/logger.ts";
import type { Metrics } from "./observing/metrics.ts";
import type { Traces } from "./observing/traces.ts";
import type { Identity } from "./identity/identity.ts";
import type { Principal } from "./identity/principal.ts";
import type { Sockets } from "./sockets.ts";
import type { MayReach } from "./webhooks/allowed-hosts.ts";
import type { Telling } from "./notices/telling.ts";

/** What a graph's own gate says of a call. `invalid`: it would not be judged at all, and nobody asked. */
export type GraphJudgement =
  | { kind: "judged"; verdict: Pick<Verdict, "tier" | "rules" | "why">; outlook: Outlook }
  | { kind: "invalid"; message: string };

/**
 * Judges the calls of a turn as a graph's gate would, with its own policy or another; `null` for a graph without a gate of
 * ours.
 */
export type JudgePort = (
  graph_id: string,
  calls: readonly { name: string; args: Args }[],
  options: JudgeOptions,
) => Promise<GraphJudgement[] | null>;

export interface JudgeOptions {
  policy?: unknown;
  context?: unknown;
  /** The thread whose history counts; without one, that of a new thread. */
  thread_id?: string;
  assistant_id?: string | null;
  /** Who would ask for it. */
  user: string | null;
}

/** The mode that a graph's policy and a context say; `null` for a graph without a gate of ours. */
export type ModePort = (graph_id: string, context: unknown) => Promise<Mode | null>;

/** JSON Schemas of a graph; `null` where it declares nothing. */
export interface GraphSchemas {
  input_schema: Record<string, unknown> | null;
  output_schema: Record<string, unknown> | null;
  state_schema: Record<string, unknown> | null;
  context_schema: Record<string, unknown> | null;
}

/** Reads the schemas of a graph from the graph itself. */
export type SchemasPort = (graph: RunnableGraph) => GraphSchemas;

/** What the graph room says of calls that are closed without their graph. */
export interface ClosingPort {
  /** What the model is told of a call that was closed. */
  text(outcome: "cancelled" | "unknown", why: string): string;
  /** A tool message for each call of the last AI message that has none. `known`: what the ledger has, by call. */
  messages(messages: BaseMessage[], known: ReadonlyMap<string, Call>): ToolMessage[];
}

/** A policy that comes with the server, by name. */
export interface NamedPolicy {
  name: string;
  policy: Record<string, unknown>;
}

/** What the routes about approvals work with, whoever runs the graphs. */
export interface DeskParts {
  /** The desk that lets runs go on after a decision. */
  desk: Desk;
  ports: Pick<RunPorts, "ledger" | "onError"> & Partial<Pick<RunPorts, "told" | "masks">>;
  manager: Pick<RunManager, "idle">;
  /** The threads that somebody sees; `undefined` for all. */
  threadsSeenBy: (principal: Principal) => ThreadIds | undefined;
  /** What other processes write, where somebody looks for it. */
  tail?: Pick<Tail, "subscribe">;
  /** Aborts when the server stops: live streams end then. */
  closing: AbortSignal;
}

/** All that the routes work with. */
export interface ServerParts extends DeskParts {
  ports: RunPorts;
  manager: RunManager;
  /** The threads that clients of the streaming protocol follow. */
  sessions: Sessions;
  sockets: Sockets;
  /** Finds out who sends a request. */
  identity: Identity;
  limits: Limits;
  streams: OpenStreams;
  decisions: DecisionLimit;
  log: Log;
  metrics: Metrics;
  traces: Traces | null;
  health: Health;
  checkpointer: Checkpointer;
  /** The server processes on this store. */
  processes: Processes;
  /** What others write to the ledger. */
  tail: Tail;
  database: Database;
  /** LangGraph's long-term store. */
  items: ItemStore;
  assistants: Assistants;
  /** How long a thread is kept that says nothing itself; `null`: until it is deleted. */
  ttl: Ttl | null;
  schemasOf: SchemasPort;
  judge: JudgePort;
  modeOf: ModePort;
  /** Whether a gate of ours reads `policy` and `mode` from the graph's context. */
  readsPolicy(graph_id: string): Promise<boolean>;
  /** Whether a graph's tools stand behind a gate of ours and nowhere else. */
  isGated(graph_id: string): Promise<boolean>;
  closingWords: ClosingPort;
  policies: NamedPolicy[];
  /** Tells clients of their runs and the owner of approvals. */
  telling: Telling;
  /** Where webhooks may go. */
  mayReach: MayReach;
  version: string;
  langgraphVersion: string;
  /** The host that the server is bound to. */
  host: string;
  allowOrigins: readonly string[];
}
