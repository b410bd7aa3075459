import type { Approval } from "../../ledger/index.ts";
import { approvalTable } from "../approval-text.ts";
import { Client } from "../client.ts";
import { readCount } from "../json-argument.ts";
import { printResult, type OutputOptions } from "../print.ts";

export interface ListOptions extends OutputOptions {
  status: string;
  limit: string;
  thread?: string;
  tool?: string;
}

/** `approvals list`: what waits, or how it ended. */
export async function listApprovals(options: ListOptions): Promise<void> {
  const { status, thread, tool } = options;
  const limit = readCount(options.limit, "--limit", 1_000);
  const query = { status, thread_id: thread, tool, limit };
  const page = await new Client().send<{ approvals: Approval[]; next_cursor: string | null }>("/approvals", {
    query,
  });
  printResult(options, page, () => {
    if (page.approvals.length === 0) {
      return [status === "pending" ? "Nothing is pending." : "No approval matches."];
    }
    const more = page.next_cursor === null ? [] : [`There are more; --limit shows up to 1000.`];
    return [...approvalTable(page.approvals), ...more];
  });
}
