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
  /** Who created it; `null` where nobody had to say who they are. */
  owner: string | null;
  /** Who asked for the newest run from an input. */
  requested_by: string | null;
  /** How long it is kept, as its client said: see `keeping/ttl.ts`. */
  ttl_json: string | null;
  /** When it is to be looked at whether that is over; `null`: never. */
  expires_at: string | null;
  /** What a copy hides as the thread it was made of does: see `masking/inherited.ts`. `null`: it is no copy. */
  inherited_json: string | null;
  /** The process on which something goes on with it: see `processes/`. */
  lane_owner: string | null;
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
  /** Who cancelled it; `null` where nobody did, or nobody had to say who they are. */
  cancelled_by: string | null;
  /** Who asked for it; `null` where nobody had to say who they are. */
  requested_by: string | null;
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

/** A server process on this store. */
export interface ProcessRow {
  owner_id: string;
  pid: number;
  host: string;
  /** Counts up while it is alive. Others see by their own clock whether it still does: no two clocks are compared. */
  beat: number;
  started_at: string;
}

/** Work that one process at a time does for all. */
export interface DutyRow {
  duty: string;
  owner_id: string;
}

/** A token, of which only a digest is kept. Roles as a JSON list. */
export interface TokenRow {
  token_id: string;
  principal: string;
  roles_json: string;
  secret_digest: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

export interface ServerTables {
  server_processes: ProcessRow;
  server_duties: DutyRow;
  server_tokens: TokenRow;
  server_threads: ThreadRow;
  server_runs: RunRow;
  server_answers: AnswerRow;
}
