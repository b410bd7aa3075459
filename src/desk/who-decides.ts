import type { Approval, Grant } from "../ledger/index.ts";
import type { Mode, Verdict } from "../policy/index.ts";
import type { Allowed } from "./allowed.ts";

/** What is known of a call beside its verdict, each with the conditions under which it counts already looked at. */
export interface Known {
  /** How the same call ended before, where policy does not ask again. */
  earlier: Approval | null;
  /** The newest remembered rejection that covers it. */
  rejection: Grant | null;
  /** The newest remembered approval that covers it and that no later rejection outranks. */
  approval: Grant | null;
  /** What allowances would let through, had the call not been rejected before. */
  allowed: Allowed | null;
}

export const NOTHING_KNOWN: Known = { earlier: null, rejection: null, approval: null, allowed: null };

/** Who or what decides about a call that nothing was decided about yet. */
export type Decider =
  | { kind: "denied" }
  /** Nobody has to: it runs. */
  | { kind: "runs"; tier: "auto" | "suggest" }
  | { kind: "mode"; mode: Exclude<Mode, "interactive"> }
  /** The same call was put to people before in this thread, and policy does not ask again. */
  | { kind: "repeat"; earlier: Approval }
  | { kind: "grant"; grant: Grant }
  /** As long as there is room in them; else people. */
  | { kind: "allowance"; allowed: Allowed }
  | { kind: "people" };

/**
 * Who decides about a call: deny > mode > how the same call ended before > rule with `remember: false` > remembered
 * rejection > remembered approval > allowance > people. The one place where that order stands. Pure.
 */
export function whoDecides(verdict: Verdict, { earlier, rejection, approval, allowed }: Known): Decider {
  const { tier, mode, review } = verdict;
  if (tier === "deny") return { kind: "denied" };
  if (tier !== "approve") return { kind: "runs", tier };
  if (mode !== "interactive") return { kind: "mode", mode };
  if (earlier) return { kind: "repeat", earlier };
  if (!review.remember) return { kind: "people" };
  const grant = rejection ?? approval;
  if (grant) return { kind: "grant", grant };
  return allowed ? { kind: "allowance", allowed } : { kind: "people" };
}
