import { ask, Operation, type Database } from "../../ledger/sql/index.ts";
import type { ServerParts } from "../parts.ts";
import { closeCalls } from "../threads/close-calls.ts";
import type { RunRow } from "./tables.ts";

const WHY = { reason: "The run was rolled back.", by: { kind: "system" as const } };

/** The columns that are needed of LangGraph's own tables. Ids of checkpoints sort by the time they were made. */
interface Checkpoints {
  checkpoints: { thread_id: string; checkpoint_ns: string; checkpoint_id: string };
  writes: { thread_id: string; checkpoint_id: string; channel: string };
  checkpoint_writes: { thread_id: string; checkpoint_id: string; channel: string };
}

/** The id of a thread's newest checkpoint; `null` when it has none. */
export async function headOf(database: Database, thread_id: string): Promise<string | null> {
  return (await database.read(() => newest.row(database.dialect, { thread_id })))?.checkpoint_id ?? null;
}

const newest = new Operation<{ thread_id: string }, { checkpoint_id: string }, Checkpoints>(
  (build, { thread_id }) =>
    build
      .selectFrom("checkpoints")
      .select("checkpoint_id")
      .where("thread_id", "=", thread_id)
      .where("checkpoint_ns", "=", "")
      .orderBy("checkpoint_id", "desc")
      .limit(1),
);

/**
 * Makes a thread as if its newest run had never begun there: its checkpoints go, and its open calls are closed in the
 * ledger. The savers have no such call: this works on the tables of their present versions.
 */
export async function forgetRun(
  parts: ServerParts,
  { thread_id, from_checkpoint }: Pick<RunRow, "thread_id" | "from_checkpoint">,
): Promise<void> {
  const { database } = parts;
  const build = database.builder<Checkpoints>();
  const writes = database.dialect === "sqlite" ? "writes" : "checkpoint_writes";
  await database.run(function* () {
    for (const table of [writes, "checkpoints"] as const) {
      const all = build.deleteFrom(table).where("thread_id", "=", thread_id);
      yield* ask(
        (from_checkpoint === null ? all : all.where("checkpoint_id", ">", from_checkpoint)).compile(),
      );
    }
  });
  await closeCalls(parts, thread_id, WHY);
}

/**
 * Takes the answers out of the state of a graph whose gate is not ours that a cancelled run was given. LangGraph keeps
 * them with the question, and would hand them over again. Our gate asks the ledger, and not them.
 */
export async function forgetAnswers(
  parts: ServerParts,
  { thread_id, graph_id, from_checkpoint }: RunRow,
): Promise<void> {
  const { database, ports } = parts;
  if (await parts.isGated(graph_id)) return;
  const { approvals } = await ports.ledger.approvals({ thread_id, status: "all", limit: 1_000 });
  // An agent of ours inside another graph finds its own wake-ups there.
  if (approvals.some(({ kind }) => kind !== "interrupt")) return;
  const writes = database.dialect === "sqlite" ? "writes" : "checkpoint_writes";
  const all = database
    .builder<Checkpoints>()
    .deleteFrom(writes)
    .where("thread_id", "=", thread_id)
    .where("channel", "=", "__resume__");
  const own = from_checkpoint === null ? all : all.where("checkpoint_id", ">=", from_checkpoint);
  await database.run(() => ask(own.compile()));
}
