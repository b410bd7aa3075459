import { AsyncLocalStorage } from "node:async_hooks";
import { HumanMessage, isBaseMessage } from "@langchain/core/messages";
import { canonicalJson } from "../ledger/index.ts";
import type { Entry } from "./entry.ts";
import { readState } from "./platform.ts";

// A registered symbol, so that a graph inside another one counts with it, whichever copies of this package they have.
const RUN = Symbol.for("countersign.run/1");
const holder = globalThis as { [RUN]?: AsyncLocalStorage<string> };
const outer = (holder[RUN] ??= new AsyncLocalStorage());

/**
 * What is one run where questions are counted: from one message of the user to the next, on its thread. Not LangGraph's
 * run id, which each resume has anew, and not an id that a request could bring. A graph that a tool calls belongs to the
 * run of the outermost one: what stands as the user's in its own state is what an agent wrote, which could begin as many
 * runs as it liked.
 *
 * A client that sends a message under an id again goes on with the run that it began.
 */
export function runOf(entry: Entry): string {
  return outer.getStore() ?? canonicalJson([entry.target.thread_id, lastSaid(entry)]);
}

/** Runs a tool as a part of a run, whatever it calls. */
export function asPartOf<Result>(run: string, work: () => Result): Result {
  return outer.run(run, work);
}

/** The id of the user's last message, or how many there are where it has none. */
function lastSaid({ config }: Entry): string | number {
  const { messages } = readState(config, ["messages"]);
  if (!Array.isArray(messages)) return 0;
  const said = messages.filter((one) => isBaseMessage(one) && HumanMessage.isInstance(one));
  return said.at(-1)?.id ?? said.length;
}
