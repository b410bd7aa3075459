import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { openLedger, type Ledger } from "../../ledger/index.ts";
import { openDatabase } from "../../ledger/sql/index.ts";
import { openCheckpointer } from "./checkpointer.ts";

/** What an agent keeps on disk, in one database. */
export interface Store {
  ledger: Ledger;
  /** LangGraph's checkpoints. */
  checkpointer: BaseCheckpointSaver;
  close(): Promise<void>;
}

/**
 * Opens ledger and checkpoints in one database, `file:` or `postgres://`, for an agent that runs without the server. On
 * SQLite they share one connection, which is faster than two, and one log, so that neither is ahead of the other after a
 * loss of power.
 *
 * @throws {LedgerError} `bad_url`, `unwritable`, `newer_schema`
 *
 * @example
 * const store = await openStore("file:./state.db");
 * const graph = createApprovalAgent({ model: "rehearsal", tools, ledger: store.ledger, checkpointer: store.checkpointer });
 */
export async function openStore(address: string): Promise<Store> {
  const database = await openDatabase(address);
  try {
    const ledger = await openLedger(database);
    const checkpointer = await openCheckpointer(address, database);
    return {
      ledger,
      checkpointer: checkpointer.saver,
      async close() {
        await checkpointer.close();
        await ledger.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
