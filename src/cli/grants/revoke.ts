import type { Grant } from "../../ledger/index.ts";
import { Client } from "../client.ts";
import { printResult, type OutputOptions } from "../print.ts";
import { exact } from "../readable.ts";

/** `grants revoke ID`. */
export async function revokeGrant(id: string, options: OutputOptions): Promise<void> {
  const grant = await new Client().send<Grant>(`/grants/${encodeURIComponent(id)}`, { method: "DELETE" });
  printResult(options, grant, () => [
    `${exact(grant.covers)} is ${grant.status}: it decides nothing any more.`,
  ]);
}
