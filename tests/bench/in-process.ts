import { Command } from "@langchain/langgraph";
import { bareGraph, gatedGraph, input, saverIn, storeIn, thread, type Runnable } from "./graphs.ts";
import { alternate, timed, type Figures } from "./stats.ts";

export interface Row {
  name: string;
  bare: Figures;
  gated: Figures;
  /** The largest ratio of the medians that was set as a goal. */
  goal: number;
}

/** An automatic call, an ask and a resume: bare LangGraph against the same agent gated, both durable on disk. */
export async function inProcess(folder: string, rounds: number): Promise<Row[]> {
  const store = await storeIn(folder, "gated.db");
  const saver = saverIn(folder, "bare.db");
  const auto = { bare: bareGraph(false, saver), gated: gatedGraph(false, store) };
  const ask = { bare: bareGraph(true, saver), gated: gatedGraph(true, store) };

  const once = (graph: Runnable) => () => timed(() => graph.invoke(input(), thread()));
  const [bareAuto, gatedAuto] = await alternate(rounds, 10, once(auto.bare), once(auto.gated));
  const [bareAsk, gatedAsk] = await alternate(rounds, 10, once(ask.bare), once(ask.gated));
  const [bareResume, gatedResume] = await alternate(rounds, 10, resume(ask.bare), resume(ask.gated));
  await store.close();
  return [
    { name: "auto call", bare: bareAuto, gated: gatedAuto, goal: 1.1 },
    { name: "ask", bare: bareAsk, gated: gatedAsk, goal: 1.15 },
    { name: "resume", bare: bareResume, gated: gatedResume, goal: 1.25 },
  ];
}

const resume = (graph: Runnable) => async (): Promise<number> => {
  const config = thread();
  const paused = await graph.invoke(input(), config);
  const [question] = paused["__interrupt__"] as { id: string }[];
  const command = new Command({ resume: { [question?.id ?? ""]: { type: "approve" } } });
  return timed(() => graph.invoke(command as never, config));
};
