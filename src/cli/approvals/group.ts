import { randomUUID } from "node:crypto";
import type { Approval, Decision } from "../../ledger/index.ts";
import { approvalTable } from "../approval-text.ts";
import { Client } from "../client.ts";
import { CliError, usageError } from "../cli-error.ts";
import { readCount } from "../json-argument.ts";
import { printLines, printResult } from "../print.ts";
import { exact } from "../readable.ts";
import type { Decided, DecideOptions } from "./decide.ts";

/** Which calls of a group are decided. */
export interface GroupOptions extends DecideOptions {
  group?: string;
  except?: string[];
}

/**
 * One approval by its id, or a group, as the command line has it.
 *
 * @throws {CliError} `usage` where it is neither, or both.
 */
export function readWhich(
  id: string | undefined,
  { group, except }: GroupOptions,
): { id: string } | { group: string; except: string[] } {
  if (id !== undefined && group !== undefined)
    throw usageError("Give the id of an approval or --group with that of a group, not both.");
  if (group !== undefined) return { group, except: except ?? [] };
  if (except !== undefined) throw usageError("--except takes calls out of a group: give --group as well.");
  if (id !== undefined) return { id };
  throw usageError("Give the id of an approval, or --group with that of a group.");
}

/**
 * Decides the calls of a group that are pending now, and shows them: all of them or none, each as it was shown. A call
 * that arrives meanwhile is not among them.
 */
export async function decideGroup(
  { group, except }: { group: string; except: string[] },
  decision: Decision,
  options: DecideOptions,
): Promise<void> {
  const wait = options.wait === undefined ? undefined : readCount(options.wait, "--wait", 60);
  const client = new Client();
  const open = await pendingOf(client, group);
  const stray = except.find((id) => !open.some(({ approval_id }) => approval_id === id));
  if (stray !== undefined) throw usageError(`--except: ${exact(stray)} is not pending in this group.`);
  const chosen = open.filter(({ approval_id }) => !except.includes(approval_id));
  if (chosen.length === 0) throw usageError("--except leaves no call of this group to decide.");
  if (options.json !== true) printLines(approvalTable(chosen));
  const { decisions } = await decideTogether(client, chosen, decision, { wait, reason: options.reason });
  printResult(options, { decisions }, () => groupLines(decisions, open.length - chosen.length));
}

/** Sends one decision for each of these approvals, in one request, each held to the arguments that were shown. */
export function decideTogether(
  client: Client,
  shown: readonly Approval[],
  decision: Decision,
  { wait, reason }: { wait?: number | undefined; reason?: string | undefined } = {},
): Promise<{ decisions: Decided[] }> {
  const said = { ...decision, ...(reason === undefined ? {} : { reason }) };
  const decisions = shown.map(({ approval_id, args_digest }) => ({ approval_id, args_digest, ...said }));
  return client.send("/approvals/decisions", {
    ...{ method: "POST", query: { wait }, body: { decisions } },
    headers: { "idempotency-key": randomUUID() },
  });
}

/** @throws {CliError} `unknown_group` when nothing of it is pending. */
async function pendingOf(client: Client, group_id: string): Promise<Approval[]> {
  const found: Approval[] = [];
  let cursor: string | undefined;
  do {
    const query = { group_id, limit: 1_000, cursor };
    const page = await client.send<{ approvals: Approval[]; next_cursor: string | null }>("/approvals", {
      query,
    });
    found.push(...page.approvals);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  if (found.length > 0) return found;
  const detail = `No pending approval is in a group ${exact(group_id)}. See "countersign approvals list".`;
  throw new CliError({ title: "Unknown group", code: "unknown_group", detail });
}

function groupLines(decisions: readonly Decided[], left: number): string[] {
  const [first] = decisions;
  if (first === undefined) return [];
  const { tool } = first.approval;
  const count = (status: Approval["status"]): number =>
    decisions.filter(({ approval }) => approval.status === status).length;
  const statuses = [...new Set(decisions.map(({ approval }) => approval.status))];
  const lines = statuses.map((status) => {
    const [call, is] = count(status) === 1 ? ["call", "is"] : ["calls", "are"];
    return `${count(status)} ${call} of ${exact(tool)} ${is} ${status}.`;
  });
  return left === 0 ? lines : [...lines, `${left} of the group ${left === 1 ? "is" : "are"} still pending.`];
}
