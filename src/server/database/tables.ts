/** How a thread stands, as the server last wrote it. */
export type ThreadStatus = "idle" | "busy" | "interrupted" | "error";

/** How a run stands. `interrupted`: it stopped with a question open; `drained`: the server stopped before its end. */
export type RunStatus = "running" | "success" | "interrupted" | "error" | "cancelled" | "drained";

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
  run_id: string;
  thread_id: string;
  graph_id: string;
  assistant_id: string;
  status: RunStatus;
  cause: "input" | "resume";
  created_at: string;
  ended_at: string | null;
  error: string | null;
  /** Digest of the answer that began it, so that the same answer sent again finds it. */
  answer_digest: string | null;
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
