import { randomUUID } from "node:crypto";
import type { Approval, Decision } from "../../ledger/index.ts";
import { Client } from "../client.ts";
import { readCount, readJsonObject } from "../json-argument.ts";
import { votesText } from "../people-text.ts";
import { printResult, type OutputOptions } from "../print.ts";
import { exact } from "../readable.ts";

export interface DecideOptions extends OutputOptions {
  reason?: string;
  wait?: string;
}

/** What the server answers to a decision. */
export interface Decided {
  approval: Approval;
  run_id: string | null;
  resumed: boolean;
}

/** An edit from the command line. @throws {CliError} `usage` when the text is no JSON object. */
export function editOf(args: string): Decision {
  return { type: "edit", args: readJsonObject(args, "--args") };
}

/** `approvals approve | edit | reject | respond ID`: one decision. */
export async function decideApproval(id: string, decision: Decision, options: DecideOptions): Promise<void> {
  const wait = options.wait === undefined ? undefined : readCount(options.wait, "--wait", 60);
  const decided = await new Client().send<Decided>(`/approvals/${encodeURIComponent(id)}/decision`, {
    method: "POST",
    query: { wait },
    body: { ...decision, ...(options.reason === undefined ? {} : { reason: options.reason }) },
    headers: { "idempotency-key": randomUUID() },
  });
  printResult(options, decided, () => decidedLines(decided, wait !== undefined));
}

/** What a decision did, in words. */
function decidedLines({ approval, resumed }: Decided, hasWaited: boolean): string[] {
  const { status, tool, next_approval_id, execution } = approval;
  const votes = votesText(approval);
  if (status === "pending" && votes !== undefined)
    return [`${exact(tool)} is pending: ${votes}. Others have to approve it, too.`];
  const first = `${exact(tool)} is ${status}.`;
  if (next_approval_id !== null) {
    return [first, `That needs an approval of its own: ${next_approval_id}`];
  }
  if (execution.state !== "none" && execution.state !== "started") {
    const error = execution.error === undefined ? "" : ` (${exact(execution.error)})`;
    return [`${first} Its execution: ${execution.state}${error}.`];
  }
  if (hasWaited && execution.state === "none") return [first];
  return [resumed ? `${first} The run goes on.` : `${first} The run goes on when what runs now has stopped.`];
}
