import { Command, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { openDesk } from "../desk/index.ts";
import type { DecidedBy } from "../ledger/index.ts";
import { seal } from "./answer-of.ts";
import type { ApprovalGraph } from "./door.ts";
import { ledgerOf } from "./ledger-of.ts";

/**
 * Decides approvals and lets the graph go on: desk and resume in one call, for scripts and notebooks.
 *
 * @param config the thread, as for `graph.invoke`.
 * @param decisions by approval id; all are taken or none.
 * @returns what `graph.invoke` returns: the state, with `__interrupt__` when something is still open.
 * @throws {DeskError} when a decision cannot be taken. Nothing has changed then, and the graph was not entered.
 */
export async function decide(
  graph: ApprovalGraph,
  config: LangGraphRunnableConfig,
  decisions: Record<string, unknown>,
  options: { by?: DecidedBy } = {},
): Promise<Record<string, unknown>> {
  const { ledger, clock } = await ledgerOf(graph);
  const given = Object.entries(decisions).map(([approval_id, decision]) => ({ approval_id, decision }));
  const settled = await openDesk(ledger, { clock }).decideAll(given, options);
  // A question that was asked in process waits in no interrupt, and one that needs more votes is still open.
  const resume = Object.fromEntries(
    settled.flatMap(({ approval: { interrupt_id, approval_id, status } }) =>
      interrupt_id === null || status === "pending" ? [] : [[interrupt_id, seal(approval_id)]],
    ),
  );
  const input = Object.keys(resume).length > 0 ? new Command({ resume }) : null;
  return graph.invoke(input as never, config as never);
}
