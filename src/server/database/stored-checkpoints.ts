import { ask, type Database, type Work } from "../../ledger/sql/index.ts";

// The tables of LangGraph's savers, which lie in the same database. Nothing else here knows them: the savers' own
// interface can neither copy a thread nor delete a part of one.
interface CheckpointTable {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  type: string | null;
  checkpoint: unknown;
  metadata: unknown;
}
interface WriteTable {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  task_id: string;
  idx: number;
  channel: string;
  type: string | null;
  /** SQLite's name for what is `blob` on PostgreSQL. */
  value: unknown;
  blob: unknown;
}
interface BlobTable {
  thread_id: string;
  checkpoint_ns: string;
  channel: string;
  version: string;
  type: string;
  blob: unknown;
}
interface SaverTables {
  checkpoints: CheckpointTable;
  /** SQLite's. */
  writes: WriteTable;
  /** PostgreSQL's. */
  checkpoint_writes: WriteTable;
  checkpoint_blobs: BlobTable;
}

/** Channels of pending writes that hold a question, or an answer to one. */
const QUESTIONS = ["__interrupt__", "__resume__"];

/** Copies all checkpoints of a thread, without the questions and answers in them: those are of the first thread alone. */
export function* copyCheckpoints(database: Database, from: string, to: string): Work<void> {
  const build = database.builder<SaverTables>();
  const isPostgres = database.dialect === "postgres";
  yield* ask(
    build
      .insertInto("checkpoints")
      .columns([
        ...(["thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id"] as const),
        ...(["type", "checkpoint", "metadata"] as const),
      ])
      .expression((make) =>
        make
          .selectFrom("checkpoints")
          .select((row) => [
            row.cast<string>(row.val(to), "text").as("thread_id"),
            ...(["checkpoint_ns", "checkpoint_id", "parent_checkpoint_id"] as const),
            ...(["type", "checkpoint", "metadata"] as const),
          ])
          .where("thread_id", "=", from),
      )
      .compile(),
  );
  const [writes, value] = isPostgres
    ? (["checkpoint_writes", "blob"] as const)
    : (["writes", "value"] as const);
  const columns = ["checkpoint_ns", "checkpoint_id", "task_id", "idx", "channel", "type", value] as const;
  yield* ask(
    build
      .insertInto(writes)
      .columns(["thread_id", ...columns])
      .expression((make) =>
        make
          .selectFrom(writes)
          .select((row) => [row.cast<string>(row.val(to), "text").as("thread_id"), ...columns])
          .where("thread_id", "=", from)
          .where("channel", "not in", QUESTIONS),
      )
      .compile(),
  );
  if (!isPostgres) return;
  const blob = ["checkpoint_ns", "channel", "version", "type", "blob"] as const;
  yield* ask(
    build
      .insertInto("checkpoint_blobs")
      .columns(["thread_id", ...blob])
      .expression((make) =>
        make
          .selectFrom("checkpoint_blobs")
          .select((row) => [row.cast<string>(row.val(to), "text").as("thread_id"), ...blob])
          .where("thread_id", "=", from),
      )
      .compile(),
  );
}

/** Deletes all checkpoints of a thread. */
export function* dropCheckpoints(database: Database, thread_id: string): Work<void> {
  const build = database.builder<SaverTables>();
  const tables =
    database.dialect === "postgres"
      ? (["checkpoints", "checkpoint_writes", "checkpoint_blobs"] as const)
      : (["checkpoints", "writes"] as const);
  for (const table of tables)
    yield* ask(build.deleteFrom(table).where("thread_id", "=", thread_id).compile());
}

/** What is kept of a thread. */
export interface KeptCheckpoint {
  checkpoint_id: string;
  /** The versions of its channels. */
  versions: Record<string, string | number>;
}

/**
 * Deletes the checkpoints of a thread but one of its root graph, and those of subgraphs that have ended. What a
 * subgraph keeps between its runs stays.
 */
export function* dropOtherCheckpoints(
  database: Database,
  thread_id: string,
  { checkpoint_id, versions }: KeptCheckpoint,
): Work<void> {
  const build = database.builder<SaverTables>();
  const isPostgres = database.dialect === "postgres";
  for (const table of ["checkpoints", isPostgres ? "checkpoint_writes" : "writes"] as const)
    yield* ask(
      build
        .deleteFrom(table)
        .where("thread_id", "=", thread_id)
        .where((row) =>
          row.or([
            // A subgraph that belongs to one task of its parent has that task's id in its namespace.
            row("checkpoint_ns", "like", "%:%"),
            row.and([row("checkpoint_ns", "=", ""), row("checkpoint_id", "!=", checkpoint_id)]),
          ]),
        )
        .compile(),
    );
  yield* ask(
    build
      .updateTable("checkpoints")
      .set({ parent_checkpoint_id: null })
      .where("thread_id", "=", thread_id)
      .where("checkpoint_ns", "=", "")
      .compile(),
  );
  if (!isPostgres) return;
  const kept = Object.entries(versions);
  yield* ask(
    build
      .deleteFrom("checkpoint_blobs")
      .where("thread_id", "=", thread_id)
      .where((row) =>
        row.or([
          row("checkpoint_ns", "like", "%:%"),
          row.and([
            row("checkpoint_ns", "=", ""),
            row.not(
              row.or(
                kept.map(([channel, version]) =>
                  row.and([row("channel", "=", channel), row("version", "=", String(version))]),
                ),
              ),
            ),
          ]),
        ]),
      )
      .compile(),
  );
}
