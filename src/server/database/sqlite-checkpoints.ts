import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointPendingWrite, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
import { ServerError } from "../problem.ts";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

interface Place {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
}

/** One write of a channel, oldest first, and with the first ones the checkpoint that they were put upon. */
interface HistoryRow {
  seed_type: string | null;
  seed: Uint8Array | null;
  task_id: string | null;
  type: string | null;
  value: Uint8Array | null;
}

/**
 * LangGraph's checkpoints in SQLite, with a faster way to read back a channel that is stored step by step, as messages
 * are: the inherited one reads and revives all of each checkpoint on the way, several times a turn.
 */
export class SqliteCheckpoints extends SqliteSaver {
  #holder: ReturnType<SqliteSaver["db"]["prepare"]> | null = null;
  #owner_id = "";

  /** From now on writes only to threads that this process of a server has: one that was taken for gone spoils nothing. */
  onlyFor(owner_id: string): void {
    this.#owner_id = owner_id;
    this.#holder = this.db.prepare("SELECT lane_owner FROM server_threads WHERE thread_id = ?");
  }

  override async put(...given: Parameters<SqliteSaver["put"]>): ReturnType<SqliteSaver["put"]> {
    this.#assertOwn(given[0]);
    return super.put(...given);
  }

  override async putWrites(...given: Parameters<SqliteSaver["putWrites"]>): Promise<void> {
    this.#assertOwn(given[0]);
    return super.putWrites(...given);
  }

  #assertOwn({ configurable }: RunnableConfig): void {
    if (this.#holder === null) return;
    const { thread_id = "" } = (configurable ?? {}) as Partial<Place>;
    const held = this.#holder.get(thread_id) as { lane_owner: string | null } | undefined;
    if (held?.lane_owner === this.#owner_id) return;
    throw new ServerError("thread_lost", `Another process has gone on with thread ${thread_id}.`);
  }

  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    const place = (options.config.configurable ?? {}) as Partial<Place>;
    const { thread_id = null, checkpoint_ns = "", checkpoint_id = null } = place;
    const histories: Record<string, DeltaChannelHistory> = {};
    for (const channel of options.channels) {
      const given = { thread_id, checkpoint_ns, checkpoint_id, channel };
      const rows = this.db.prepare<typeof given, HistoryRow>(HISTORY).all(given);
      histories[channel] = await this.#read(rows, channel);
    }
    return histories;
  }

  async #read(rows: readonly HistoryRow[], channel: string): Promise<DeltaChannelHistory> {
    const writes: CheckpointPendingWrite[] = [];
    for (const { task_id, type, value } of rows) {
      if (task_id === null) continue;
      writes.push([task_id, channel, await this.serde.loadsTyped(type ?? "json", value ?? "")]);
    }
    const [oldest] = rows;
    if (!oldest?.seed) return { writes };
    const checkpoint = (await this.serde.loadsTyped(oldest.seed_type ?? "json", oldest.seed)) as {
      channel_values: Record<string, unknown>;
    };
    return { writes, seed: checkpoint.channel_values[channel] };
  }
}

// From the checkpoint's parent back to the nearest ancestor that holds the channel's value, with what was written to the
// channel under each. The key of `writes` gives the order within one checkpoint.
const HISTORY = `
WITH RECURSIVE path (depth, checkpoint_id, parent, holds) AS (
  SELECT 0, checkpoint_id, parent_checkpoint_id, 0 FROM checkpoints
   WHERE thread_id = @thread_id AND checkpoint_ns = @checkpoint_ns AND checkpoint_id = coalesce(
     @checkpoint_id,
     (SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = @thread_id AND checkpoint_ns = @checkpoint_ns)
   )
  UNION ALL
  SELECT depth + 1, c.checkpoint_id, c.parent_checkpoint_id, EXISTS (
    SELECT 1 FROM json_each(CAST(c.checkpoint AS TEXT), '$.channel_values') WHERE key = @channel
  )
    FROM path JOIN checkpoints c
      ON c.thread_id = @thread_id AND c.checkpoint_ns = @checkpoint_ns AND c.checkpoint_id = path.parent
   WHERE NOT path.holds
)
SELECT CASE WHEN holds THEN c.type END AS seed_type, CASE WHEN holds THEN c.checkpoint END AS seed,
       w.task_id, w.type, w.value
  FROM path
  JOIN checkpoints c
    ON c.thread_id = @thread_id AND c.checkpoint_ns = @checkpoint_ns AND c.checkpoint_id = path.checkpoint_id
  LEFT JOIN writes w
    ON w.thread_id = @thread_id AND w.checkpoint_ns = @checkpoint_ns
   AND w.checkpoint_id = path.checkpoint_id AND w.channel = @channel
 WHERE depth > 0
 ORDER BY depth DESC, w.task_id, w.idx`;
