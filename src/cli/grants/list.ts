import type { Grant } from "../../ledger/index.ts";
import { Client } from "../client.ts";
import { readCount } from "../json-argument.ts";
import { printResult, type OutputOptions } from "../print.ts";
import { exact } from "../readable.ts";
import { timeLeft } from "../time-left.ts";

export interface ListGrantsOptions extends OutputOptions {
  all?: boolean;
  limit: string;
}

/** `grants list`: each with what it covers, in words, and when it ends. */
export async function listGrants(options: ListGrantsOptions): Promise<void> {
  const limit = readCount(options.limit, "--limit", 1_000);
  const query = { status: options.all === true ? "all" : "active", limit };
  const page = await new Client().send<{ grants: Grant[]; next_cursor: string | null }>("/grants", { query });
  printResult(options, page, () => {
    if (page.grants.length === 0) return ["Nothing is remembered."];
    const more = page.next_cursor === null ? [] : ["There are more; --limit shows up to 1000."];
    return [...page.grants.flatMap(grantLines), ...more];
  });
}

/** What a grant is, in two lines. */
export function grantLines({
  grant_id,
  effect,
  covers,
  scope,
  status,
  uses_left,
  expires_at,
}: Grant): string[] {
  const whose = { thread: "in its thread", user: "for its user", everyone: "for everyone" }[scope];
  const ends = status === "active" ? `${uses_left} uses, ${timeLeft(expires_at)}` : status;
  return [`${grant_id}  ${effect}, ${whose}: ${ends}`, `  ${exact(covers)}`];
}
