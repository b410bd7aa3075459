import type { Ledger } from "../ledger/index.ts";
import type { Database } from "../ledger/sql/index.ts";
import { ThreadMasks, type Graphs } from "../server/index.ts";
import { masksWith } from "./graph-side.ts";

/** What a server hides of its threads, from its first answer on: the policies of its graphs are looked at now. */
export async function openMasks(parts: {
  database: Database;
  ledger: Ledger;
  graphs: Graphs;
  log: { hideWith: (hide: (text: string) => string) => void };
  enter: <Result>(work: () => Result) => Result;
}): Promise<{ masks: ThreadMasks; masksOf: (graph_id: string | null) => readonly string[] }> {
  const { database, ledger, graphs, log, enter } = parts;
  const masks = new ThreadMasks({ database, ledger, masksOf: masksWith(graphs) });
  await enter(() => masks.look(graphs.ids()));
  log.hideWith((text) => masks.hide(text));
  return { masks, masksOf: (graph_id) => masks.ofGraph(graph_id) };
}
