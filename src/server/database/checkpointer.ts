import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { postgresAddress } from "../../ledger/sql/postgres-address.ts";
import { sqlitePath } from "../../ledger/sql/sqlite-file.ts";

/** LangGraph's checkpoints in the store's database, and how to close them. */
export interface Checkpointer {
  saver: BaseCheckpointSaver;
  close: () => Promise<void>;
}

/** Opens the checkpointer for a store's address, `file:` or `postgres://`, that the ledger has opened before. */
export async function openCheckpointer(store: string): Promise<Checkpointer> {
  if (store.startsWith("file:")) return openSqlite(sqlitePath(store));
  const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres");
  const { connectionString, schema } = postgresAddress(store);
  const saver = PostgresSaver.fromConnString(connectionString, { schema: schema ?? "public" });
  await saver.setup();
  return { saver: saver as unknown as BaseCheckpointSaver, close: () => saver.end() };
}

async function openSqlite(path: string): Promise<Checkpointer> {
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const saver = SqliteSaver.fromConnString(path);
  // The ledger writes to the same file on a connection of its own: each waits for the other.
  saver.db.pragma("busy_timeout = 5000");
  saver.db.pragma("journal_mode = WAL");
  // Both write to one log, in order, and a commit of the ledger that waits for the disk takes along what came before:
  // the checkpoints need no waiting of their own.
  saver.db.pragma("synchronous = NORMAL");
  // The saver makes its tables at the first reading, and deleting would fail before that.
  await saver.getTuple({ configurable: { thread_id: "none" } });
  return {
    saver: saver as unknown as BaseCheckpointSaver,
    close: async () => void saver.db.close(),
  };
}
