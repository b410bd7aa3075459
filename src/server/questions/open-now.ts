import type { StateSnapshot } from "@langchain/langgraph";
import type { Ledger } from "../../ledger/index.ts";
import { pendingOf } from "../threads/open-questions.ts";
import type { OpenQuestion } from "./address.ts";
import { askedIn, callsOf } from "./asked.ts";
import { openQuestion } from "./keep-questions.ts";
import type { Asker } from "./open-commands.ts";

/**
 * The questions that an answer may be for: those of our gate as the ledger has them, and the graph's own. While a run is
 * live, its graph may have asked what no approval stands for yet; that is opened now.
 */
export async function openNow(
  ports: { ledger: Ledger; clock: () => number },
  asker: Asker,
  state: StateSnapshot | null,
): Promise<OpenQuestion[]> {
  const { ledger } = ports;
  const { thread_id } = asker;
  const own: OpenQuestion[] = [];
  for (const asked of state ? askedIn(thread_id, state) : []) {
    const calls = await callsOf(ledger, asked);
    if (calls.every(({ call, time }) => call === null && time === 1))
      await openQuestion(ports, asker, asked, calls);
    const { interrupt_id, question } = asked;
    const approval_ids = calls.map(({ approval_id }) => approval_id);
    own.push({ interrupt_id, approval_ids, decisionsIn: (answer) => question.decisionsIn(answer) });
  }
  const pending = await pendingOf(ledger, thread_id);
  const gate = pending
    .filter(({ kind }) => kind !== "interrupt")
    .map(({ approval_id, interrupt_id }): OpenQuestion => ({
      interrupt_id: interrupt_id ?? "",
      approval_ids: [approval_id],
      decisionsIn: (answer) => [answer],
    }));
  const isPending = (id: string): boolean => pending.some(({ approval_id }) => approval_id === id);
  return [...gate, ...own.filter(({ approval_ids }) => approval_ids.some(isPending))];
}
