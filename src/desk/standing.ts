import type { Approval, Args, Grant, Ledger } from "../ledger/index.ts";
import { exceeds, parseDuration, passes, When, type Verdict } from "../policy/index.ts";
import { allowedBy } from "./allowed.ts";
import { NOTHING_KNOWN, type Known } from "./who-decides.ts";

/** A call that would be asked about, and all that what stands is compared with. */
export interface Sought {
  thread_id: string;
  /** Who asked for it, as far as that is known. */
  user: string | null;
  graph_id: string | null;
  assistant_id: string | null;
  tool: string;
  args: Args;
  args_digest: string;
  schema_digest: string | null;
  verdict: Verdict;
  /** What predicates need to know: see policy's facts. */
  facts: { fields?: readonly string[] | undefined; paths?: Record<string, string | null> | undefined };
  /** ISO 8601. */
  at: string;
}

/**
 * What stands for a call, as far as it can matter to {@link whoDecides}. What was remembered for less than the call needs
 * now does not count.
 */
export async function standingFor(ledger: Ledger, sought: Sought): Promise<Known> {
  const { thread_id, user, tool, args_digest, at, verdict } = sought;
  const settled = await ledger.remembered.settledLike({ tool, args_digest, thread_id });
  // An automatic reviewer is asked again: what the user has said since may change its answer.
  const newest = settled.find((one) => isByPerson(one) && one.decision?.decided_by.kind !== "reviewer");
  if (newest && isRefused(newest, verdict)) return { ...NOTHING_KNOWN, earlier: newest };
  if (!verdict.review.remember) return NOTHING_KNOWN;
  const grants = (await ledger.remembered.grantsFor({ tool, thread_id, user, at })).filter((one) =>
    holds(one, sought),
  );
  const rejection = grants.find(({ effect }) => effect === "reject");
  if (rejection) return { ...NOTHING_KNOWN, rejection };
  for (const approval of grants)
    if (!(await isOutranked(ledger, approval, sought))) return { ...NOTHING_KNOWN, approval };
  const allowed = allowedBy(sought);
  const isRefusedBefore = allowed !== null && (await wasRejected(ledger, sought));
  return isRefusedBefore ? NOTHING_KNOWN : { ...NOTHING_KNOWN, allowed };
}

/** Whether the same call was rejected when it was decided last, in any thread whose calls are summed up with it. */
async function wasRejected(ledger: Ledger, sought: Sought): Promise<boolean> {
  const { tool, args_digest, thread_id, verdict } = sought;
  const where = verdict.allowances.every(({ by }) => by === "thread") ? { thread_id } : {};
  const settled = await ledger.remembered.settledLike({ tool, args_digest, ...where });
  return settled.find((one) => one.status !== "expired" && isByPerson(one))?.status === "rejected";
}

/** Whether people said, or were silent; what a rule or a mode refused is no word of theirs. */
function isByPerson({ status, kind, decision }: Approval): boolean {
  if (kind !== "call") return false;
  const by = decision?.decided_by.kind;
  if (status === "expired") return by === "timeout";
  return ["approved", "rejected"].includes(status) && (by === "user" || by === "reviewer" || by === "grant");
}

function isRefused({ status }: Approval, { repeat }: Verdict): boolean {
  if (status === "rejected") return repeat.afterReject === "reject";
  return status === "expired" && repeat.afterExpiry === "reject";
}

/** Whether a grant covers a call as it is, under the policy as it is. */
function holds(grant: Grant, sought: Sought): boolean {
  const { verdict, graph_id, assistant_id, schema_digest, at } = sought;
  if (grant.status !== "active" || grant.graph_id !== graph_id || grant.assistant_id !== assistant_id)
    return false;
  if (grant.schema_digest !== schema_digest || !isCovered(grant, sought)) return false;
  // A rejection never relaxes, so nothing that has changed since makes it hold less.
  if (grant.effect === "reject") return true;
  const oldest = Date.parse(at) - parseDuration(verdict.grants.maxTtl);
  if (!verdict.grants.scopes.includes(grant.scope) || Date.parse(grant.granted_at) <= oldest) return false;
  // Who gave it must not have asked for this call, and the word of one is not that of several.
  if (verdict.review.separateDuties && (sought.user === null || grant.granted_by.id === sought.user))
    return false;
  const { tier, rules, by, separate_duties } = grant;
  return !exceeds(verdict, { tier, rules, by, separateDuties: separate_duties });
}

function isCovered({ match }: Grant, { args, args_digest, facts }: Sought): boolean {
  switch (match.kind) {
    case "exact":
      return match.args_digest === args_digest;
    case "tool":
      return true;
    case "when":
      return passes(When.parse(match.when), args, facts);
  }
}

/** Whether the same call was rejected after the grant was made, where the grant speaks. */
async function isOutranked(ledger: Ledger, grant: Grant, sought: Sought): Promise<boolean> {
  const { tool, args_digest, thread_id } = sought;
  const where = grant.scope === "thread" ? { thread_id } : {};
  const settled = (await ledger.remembered.settledLike({ tool, args_digest, ...where })).filter(isByPerson);
  return settled.some(
    ({ status, decision }) => status === "rejected" && (decision?.decided_at ?? "") > grant.granted_at,
  );
}
