import { statSync } from "node:fs";
import { join } from "node:path";
import type { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { gatedGraph, input, storeIn, thread } from "./graphs.ts";
import { figures, timed } from "./stats.ts";

export interface Stage {
  turns: number;
  bytes: number;
  /** Milliseconds a turn, the median of the last ten. */
  ms: number;
}

/** One thread that grows: what it takes on disk and how long a turn takes at some of its lengths. */
export async function longThread(folder: string, stages: readonly number[]): Promise<Stage[]> {
  const store = await storeIn(folder, "long.db");
  const { db } = store.checkpointer as SqliteSaver;
  const graph = gatedGraph(false, store);
  const config = thread();
  const found: Stage[] = [];
  const times: number[] = [];
  for (let turn = 1; turn <= Math.max(...stages); turn += 1) {
    times.push(await timed(() => graph.invoke(input(), config)));
    if (!stages.includes(turn)) continue;
    db.pragma("wal_checkpoint(TRUNCATE)");
    found.push({
      turns: turn,
      bytes: statSync(join(folder, "long.db")).size,
      ms: figures(times.slice(-10)).median,
    });
  }
  await store.close();
  return found;
}
