/** How a thread stands, as the server last wrote it. */
export type ThreadStatus = "idle" | "busy" | "interrupted" | "error";

/**
 * How a run stands. `pending`: it waits for its turn or its time; `interrupted`: it stopped with a question open;
 * `drained`: the server stopped before its end, and it goes on at the next start.
 */
export type RunStatus = "pending" | "running" | "success" | "interrupted" | "error" | "cancelled" | "drained";

/** What happens to a run that comes while another one is live on its thread. */
export type MultitaskStrategy = "reject" | "enqueue" | "interrupt" | "rollback";

/** Columns named `…_json` hold JSON texts. Times are ISO 8601 in UTC. */
export interface ThreadRow {
  thread_id: string;
  created_at: string;
  updated_at: string;
  metadata_json: string;
  /** The graph that ran on it first; `null` before any did. */
  graph_id: string | null;
  assistant_id: string | null;
  /** What the last run from an input began with, for every resume of it. */
  order_json: string | null;
  status: ThreadStatus;
  error: string | null;
  /** The newest run. */
  run_id: string | null;
}

export interface RunRow {
  /** A UUID of version 7: they sort by the time at which they were made. */
  run_id: string;
  thread_id: string;
  graph_id: string;
  assistant_id: string;
  status: RunStatus;
  cause: "input" | "resume";
  created_at: string;
  updated_at: string;
  ended_at: string | null;
  error: string | null;
  /** Digest of the answer that began it, so that the same answer sent again finds it. */
  answer_digest: string | null;
  metadata_json: string;
  /** What the client asked for, so that it can begin later or again: see `stored-run.ts`. */
  kwargs_json: string | null;
  multitask_strategy: MultitaskStrategy;
  /** How often it began; 0 before it did. */
  attempt: number;
  /** Not before this time; `null`: at once. */
  starts_at: string | null;
  /** Where its end is told. */
  webhook: string | null;
  /** The thread's newest checkpoint when the run began: those behind it are the run's. */
  from_checkpoint: string | null;
  /** Set before a run is cancelled, so that a crash in between does not let it go on. */
  cancel_reason: string | null;
}

/** The first answer to a request with an `Idempotency-Key`. */
export interface AnswerRow {
  key: string;
  request_digest: string;
  status: number;
  content_type: string;
  body: string;
  created_at: string;
}

/** The server that a SQLite file belongs to. There is one row at most. */
export interface OwnerRow {
  slot: number;
  owner_id: string;
  pid: number;
  host: string;
  /** When it last showed that it is alive, in milliseconds since 1970, by the machine's clock. */
  beat_ms: number;
}

export interface ServerTables {
  server_owner: OwnerRow;
  server_threads: ThreadRow;
  server_runs: RunRow;
  server_answers: AnswerRow;
}
