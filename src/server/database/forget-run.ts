import { ask, type Database } from "../../ledger/sql/index.ts";
import type { ServerParts } from "../parts.ts";
import { closeCalls } from "../threads/close-calls.ts";

const WHY = { reason: "The run was rolled back.", by: { kind: "system" as const } };

/** The columns that are needed of LangGraph's own tables. */
interface Checkpoints {
  checkpoints: { thread_id: string; checkpoint_id: string; metadata: unknown };
  writes: { thread_id: string; checkpoint_id: string };
  checkpoint_writes: { thread_id: string; checkpoint_id: string };
}

/** Makes a thread as if a run had never begun there: its checkpoints go, and its open calls are closed in the ledger. */
export async function forgetRun(parts: ServerParts, thread_id: string, run_id: string): Promise<void> {
  await forgetCheckpoints(parts.database, thread_id, run_id);
  await closeCalls(parts, thread_id, WHY);
}

/**
 * Deletes the checkpoints that a run has made, so that its thread is as it was before. Those savers have no such call:
 * this works on the tables of their newest versions.
 */
async function forgetCheckpoints(database: Database, thread_id: string, run_id: string): Promise<void> {
  const build = database.builder<Checkpoints>();
  const all = await database.read(() =>
    ask(
      build
        .selectFrom("checkpoints")
        .select(["checkpoint_id", "metadata"])
        .where("thread_id", "=", thread_id)
        .compile(),
    ),
  );
  const made = all.filter(({ metadata }) => runOf(metadata) === run_id).map((row) => row.checkpoint_id);
  if (made.length === 0) return;
  const writes = database.dialect === "sqlite" ? "writes" : "checkpoint_writes";
  await database.run(function* () {
    for (const table of [writes, "checkpoints"] as const)
      yield* ask(
        build
          .deleteFrom(table)
          .where("thread_id", "=", thread_id)
          .where("checkpoint_id", "in", made)
          .compile(),
      );
  });
}

/** SQLite keeps the metadata as JSON in bytes, PostgreSQL as a value. */
function runOf(metadata: unknown): unknown {
  const value: unknown =
    metadata instanceof Uint8Array || typeof metadata === "string"
      ? JSON.parse(Buffer.from(metadata as Uint8Array).toString("utf8"))
      : metadata;
  return (value as { run_id?: unknown } | null)?.run_id;
}
