import type { RunRow, ThreadRow } from "../database/tables.ts";
import type { Desk } from "../../desk/index.ts";
import type { DecidedBy, Ledger } from "../../ledger/index.ts";
import type { Graphs, RunnableGraph } from "../graphs/graphs.ts";
import type { Log } from "../observing/logger.ts";
import type { LaneLeases } from "../processes/lane-leases.ts";
import type { Threads } from "../threads/threads.ts";
import type { Feeds } from "./feeds.ts";
import type { ThreadMasks } from "../masking/thread-masks.ts";
import type { RunRegistry } from "./run-registry.ts";
import type { Runs } from "./runs.ts";
import type { StoredRun } from "./stored-run.ts";
import type { Told } from "./told.ts";
import type { CoreEvent, RawPiece } from "./teller.ts";

/** Asks a run to stop between two steps, letting its tools finish. */
export interface Drain {
  requestDrain(reason?: string): void;
}

/** What the graph room lends to the server, so that neither knows the other. */
export interface GraphPorts {
  /** Does something for which graphs must find this server as their host: running, reading and aborting them. */
  enter<Result>(work: () => Result, asked?: { requested_by: string | null }): Result;
  /** What wakes the task that waits for an approval. The decision itself is in the ledger. */
  seal(approval_id: string): unknown;
  newDrain(): Drain;
  /** Turns a graph's stream into the events of LangGraph's newer protocol, those that the graph adds itself among them. */
  translate(pieces: AsyncIterable<RawPiece>, graph: RunnableGraph): AsyncIterable<CoreEvent>;
  /** Resolves when no tool runs in this process any more. */
  executionsIdle(): Promise<void>;
}

/** What runs are made with. */
export interface RunPorts extends GraphPorts {
  graphs: Graphs;
  ledger: Ledger;
  /** A desk that wakes nobody: whoever uses it here sees to the run itself. */
  desk: Desk;
  threads: Threads;
  runs: Runs;
  /** Which process goes on with which thread. */
  leases: LaneLeases;
  /** The runs that this process knows, by id. */
  registry: RunRegistry;
  feeds: Feeds;
  told: Told;
  /** What each thread hides from people. */
  masks: ThreadMasks;
  /** Refuses a run that would reach a tool around its graph's gate. @throws {ServerError} `not_supported` */
  assertHarmless(row: ThreadRow, run: { graph_id: string; stored: StoredRun }): Promise<void>;
  /** Takes the answers out of a graph's state that a cancelled run was given: they are not used again. */
  forgetAnswers(record: RunRow): Promise<void>;
  /** The id of a thread's newest checkpoint; `null` when it has none. */
  headOf(thread_id: string): Promise<string | null>;
  /** Closes the open calls of a thread in the ledger: nothing comes of them any more. */
  closeCalls(thread_id: string, reason: string, by: DecidedBy): Promise<void>;
  /** Deletes the checkpoints that a run has made, and closes its open calls. */
  forgetRun(record: RunRow): Promise<void>;
  /** Takes what an operator may want to know. */
  log: Pick<Log, "info">;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Is told what went wrong where no client can be. `error_id`: the client was told that there was something. */
  onError(error: unknown, about?: { error_id: string }): void;
}
