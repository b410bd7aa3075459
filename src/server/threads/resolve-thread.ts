import { AIMessage, BaseMessage, type ToolMessage } from "@langchain/core/messages";
import type { StateSnapshot } from "@langchain/langgraph";
import { randomUUID } from "node:crypto";
import { isoTime } from "../../desk/index.ts";
import type { Call, DecidedBy, Ledger } from "../../ledger/index.ts";
import type { ThreadRow } from "../database/tables.ts";
import type { RunnableGraph } from "../graphs/graphs.ts";
import type { ServerParts } from "../parts.ts";
import { assertNoToolRuns, closeCalls } from "./close-calls.ts";
import { draftWrite, type DraftedWrite, type StateUpdate } from "./draft-write.ts";
import { graphOf } from "./thread-graph.ts";
import { checkpointOf } from "./thread-state.ts";
import { readNow } from "./thread-view.ts";

const REASON = "The thread was marked as resolved.";
const PAGE = 1_000;

/** How often what a finished task leads on to is ended as well. */
const STEPS = 3;

/** Whether a state write is how inboxes mark a thread as resolved: nothing, in the name of the end. */
export function isResolving({ values, as_node }: StateUpdate): boolean {
  const isEmpty =
    values === null ||
    values === undefined ||
    (typeof values === "object" && Object.keys(values).length === 0);
  return as_node === "__end__" && isEmpty;
}

/**
 * Marks a thread as resolved. Every open question is withdrawn and nothing goes on: no tool runs, no model is asked.
 * The history stays valid: each call of the last turn gets its tool message, and tasks that were done keep their
 * results.
 *
 * @returns the new checkpoint.
 * @throws {ServerError} `thread_busy`, `invalid_request`
 */
export async function resolveThread(parts: ServerParts, row: ThreadRow, by: DecidedBy): Promise<unknown> {
  const { manager, ports } = parts;
  const { thread_id } = row;
  return manager.alone(thread_id, async () => {
    const { graph_id, graph } = await graphOf(parts, row);
    const { state } = await readNow(ports, { ...row, graph_id });
    await assertNoToolRuns(parts, thread_id);
    // The ledger first: from here on nobody can answer what is about to go.
    await closeCalls(parts, thread_id, { reason: REASON, by });
    const drafted = await draftEnd(parts, graph, { thread_id, state });
    await drafted.commit();
    const at = isoTime(ports.clock);
    await ports.threads.change(thread_id, () => ({ status: "idle", error: null, updated_at: at }));
    return checkpointOf(drafted.state.config);
  });
}

/** The end of all that waits, with a tool message for each call that has none. */
async function draftEnd(
  parts: ServerParts,
  graph: RunnableGraph,
  { thread_id, state }: { thread_id: string; state: StateSnapshot | null },
): Promise<DraftedWrite> {
  const ended = await draftEnds(parts, graph, thread_id);
  const task = state?.tasks.find(({ result }) => result === undefined);
  const before = messagesOf(ended.state);
  const missing = await missingAnswers(parts, thread_id, before);
  if (!state || task === undefined || missing.length === 0) return ended;
  // As if the task that asked had ended with these messages: nothing of the graph has to run for that.
  const answered = await draftEnds(parts, graph, thread_id, (draft) =>
    draft.putWrites(state.config, [["messages", missing]], task.id),
  );
  // A graph whose messages do not add up would lose the others.
  return messagesOf(answered.state).length === before.length + missing.length ? answered : ended;
}

/** What has a result already may lead on to a next step, which is ended too. */
async function draftEnds(
  parts: ServerParts,
  graph: RunnableGraph,
  thread_id: string,
  prepare?: Parameters<typeof draftWrite>[4],
): Promise<DraftedWrite> {
  for (let steps = 1; ; steps += 1) {
    const ends = Array.from({ length: steps }, () => [{ values: null, as_node: "__end__" }]);
    const drafted = await draftWrite(parts, graph, { thread_id }, ends, prepare);
    if (drafted.state.next.length === 0 || steps === STEPS) return drafted;
  }
}

async function missingAnswers(
  { ports, closingWords }: ServerParts,
  thread_id: string,
  messages: BaseMessage[],
): Promise<ToolMessage[]> {
  if (!messages.some((message) => AIMessage.isInstance(message))) return [];
  const ids = closingWords.messages(messages, new Map()).map(({ tool_call_id }) => tool_call_id);
  if (ids.length === 0) return [];
  const missing = closingWords.messages(messages, await lastCalls(ports.ledger, thread_id, ids));
  // LangGraph gives ids to what nodes write, and no node wrote these.
  for (const message of missing) message.id = message.lc_kwargs["id"] = randomUUID();
  return missing;
}

/** What the ledger knows of the newest calls with these ids. */
async function lastCalls(ledger: Ledger, thread_id: string, ids: string[]): Promise<Map<string, Call>> {
  const calls = new Map<string, Call>();
  for (let after = 0; ;) {
    const events = await ledger.events({ thread_id, after, limit: PAGE });
    for (const { type, data, call_id } of events) {
      if (type !== "tool_call_started" || call_id === null || !ids.includes(data.tool_call_id)) continue;
      const call = await ledger.call(call_id);
      if (call) calls.set(data.tool_call_id, call);
    }
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return calls;
    after = last.seq;
  }
}

function messagesOf({ values }: StateSnapshot): BaseMessage[] {
  const { messages } = (values ?? {}) as { messages?: unknown };
  return Array.isArray(messages) ? messages.filter((one) => BaseMessage.isInstance(one)) : [];
}
