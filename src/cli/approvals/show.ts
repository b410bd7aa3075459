import type { Approval } from "../../ledger/index.ts";
import { approvalCard, approvalEnd } from "../approval-text.ts";
import { Client } from "../client.ts";
import { printResult, type OutputOptions } from "../print.ts";

/** `approvals show ID`: everything about one approval. Tells the server that a person has it before the eyes. */
export async function showApproval(id: string, options: OutputOptions): Promise<void> {
  const client = new Client();
  const path = `/approvals/${encodeURIComponent(id)}`;
  const approval = await client.send<Approval>(path);
  printResult(options, approval, () => [
    ...approvalCard(approval, { full: true }).lines,
    ...approvalEnd(approval),
    `thread     ${approval.thread_id}`,
  ]);
  const isSeen = options.json !== true && approval.status === "pending" && approval.first_shown_at === null;
  if (isSeen) await client.send(`${path}/shown`, { method: "POST", body: {} });
}
