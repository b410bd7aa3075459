import type { Approval } from "../../ledger/index.ts";
import { Client } from "../client.ts";
import { printResult, type OutputOptions } from "../print.ts";
import { exact } from "../readable.ts";

/** `approvals withdraw ID`: the question is taken back, a late answer is refused. */
export async function withdrawApproval(id: string, options: OutputOptions): Promise<void> {
  const answer = await new Client().send<{ approval: Approval }>(`/approvals/${encodeURIComponent(id)}`, {
    method: "DELETE",
  });
  printResult(options, answer, () => [`${exact(answer.approval.tool)} is ${answer.approval.status}.`]);
}
