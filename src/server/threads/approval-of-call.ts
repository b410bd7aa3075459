import { DeskError } from "../../desk/index.ts";
import type { Ledger } from "../../ledger/index.ts";

/**
 * The pending approval of a call; else the one that was asked last, so that the client is told what stands.
 *
 * @throws {DeskError} `ambiguous` when several are pending, `unknown_approval` when none was ever asked.
 */
export async function approvalOfCall(
  ledger: Ledger,
  thread_id: string,
  tool_call_id: string,
): Promise<string> {
  const calls = (await ledger.openCalls(thread_id)).filter((call) => call.tool_call_id === tool_call_id);
  const pending = calls
    .flatMap(({ approvals }) => approvals)
    .filter(({ status }) => status === "pending")
    .map(({ approval_id }) => approval_id);
  const [first, ...others] = pending;
  if (others.length > 0) {
    const message = `${pending.length} approvals of "${tool_call_id}" are pending. Decide each by its approval id.`;
    throw new DeskError("ambiguous", message, { pending });
  }
  const found = first ?? (await lastOf(ledger, thread_id, tool_call_id));
  if (found !== undefined) return found;
  throw new DeskError(
    "unknown_approval",
    `No call "${tool_call_id.slice(0, 80)}" of this thread was asked about.`,
  );
}

async function lastOf(ledger: Ledger, thread_id: string, tool_call_id: string): Promise<string | undefined> {
  let last: string | undefined;
  let cursor: string | null = null;
  do {
    const query = { status: "all" as const, thread_id, limit: 1_000 };
    const page: Awaited<ReturnType<Ledger["approvals"]>> = await ledger.approvals(
      cursor === null ? query : { ...query, cursor },
    );
    last = page.approvals.findLast((one) => one.tool_call_id === tool_call_id)?.approval_id ?? last;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return last;
}
