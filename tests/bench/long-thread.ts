import { statSync } from "node:fs";
import { join } from "node:path";
import { gatedGraph, input, ledgerIn, saverIn, thread } from "./graphs.ts";
import { figures, timed } from "./stats.ts";

export interface Stage {
  turns: number;
  bytes: number;
  /** Milliseconds a turn, the median of the last ten. */
  ms: number;
}

/** One thread that grows: what it takes on disk and how long a turn takes at some of its lengths. */
export async function longThread(folder: string, stages: readonly number[]): Promise<Stage[]> {
  const ledger = await ledgerIn(folder, "long.db");
  const saver = saverIn(folder, "long.db");
  const graph = gatedGraph(saver, ledger, false);
  const config = thread();
  const found: Stage[] = [];
  const times: number[] = [];
  for (let turn = 1; turn <= Math.max(...stages); turn += 1) {
    times.push(await timed(() => graph.invoke(input(), config)));
    if (!stages.includes(turn)) continue;
    saver.db.pragma("wal_checkpoint(TRUNCATE)");
    found.push({
      turns: turn,
      bytes: statSync(join(folder, "long.db")).size,
      ms: figures(times.slice(-10)).median,
    });
  }
  await ledger.close();
  return found;
}
