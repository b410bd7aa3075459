import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { postgresAddress } from "../../ledger/sql/postgres-address.ts";
import type { Database } from "../../ledger/sql/index.ts";

/** LangGraph's checkpoints in the store's database, and how to close them. */
export interface Checkpointer {
  saver: BaseCheckpointSaver;
  close: () => Promise<void>;
}

/**
 * Opens the checkpointer in a store's database.
 *
 * @param store its address, with the password that the database hides.
 * @param owner_id on SQLite, the process that alone writes: to threads that are its own, and to no others.
 */
export async function openCheckpointer(
  store: string,
  { connection }: Database,
  owner_id: string | null = null,
): Promise<Checkpointer> {
  if (connection !== null) return openSqlite(connection, owner_id);
  const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres");
  const { connectionString, schema } = postgresAddress(store);
  const saver = PostgresSaver.fromConnString(connectionString, { schema: schema ?? "public" });
  await saver.setup();
  return { saver: saver as unknown as BaseCheckpointSaver, close: () => saver.end() };
}

// Checkpoints and ledger are written to one log, in order, and a commit of the ledger that waits for the disk takes
// along what came before: the checkpoints need no waiting of their own.
async function openSqlite(connection: object, owner_id: string | null): Promise<Checkpointer> {
  const { SqliteCheckpoints } = await import("./sqlite-checkpoints.ts");
  const saver = new SqliteCheckpoints(connection as InstanceType<typeof SqliteCheckpoints>["db"]);
  // The saver makes its tables at the first reading, and deleting would fail before that.
  await saver.getTuple({ configurable: { thread_id: "none" } });
  if (owner_id !== null) saver.onlyFor(owner_id);
  // The connection is the database's own to close.
  return { saver: saver as unknown as BaseCheckpointSaver, close: () => Promise.resolve() };
}
