import type { DecidedBy, Grant, Ledger } from "../ledger/index.ts";
import { DeskError } from "./error.ts";
import { isoTime } from "./ports.ts";

/** Forgets a remembered decision. One that has ended or was revoked before stays as it is. */
export async function revoke(
  ledger: Ledger,
  clock: () => number,
  grant_id: string,
  { by, reason }: { by: DecidedBy; reason?: string },
): Promise<Grant> {
  const at = isoTime(clock);
  const grant = await ledger.remembered.grant(grant_id, at);
  if (grant === null) throw new DeskError("unknown_grant", `There is no grant "${grant_id.slice(0, 80)}".`);
  if (grant.status !== "active" && grant.status !== "waiting") return grant;
  const data = { grant_id, by, ...(reason !== undefined && { reason }) };
  const { thread_id } = grant;
  await ledger.append({ at, thread_id, run_id: null, call: null, events: [{ type: "grant_revoked", data }] });
  return { ...grant, status: "revoked" };
}
