import type { Approval } from "./approval.ts";
import { lastApproval, lastExecution, type Call } from "./call.ts";
import { digest } from "./canonical.ts";
import type { Authority } from "./event.ts";

interface Claim {
  tool: string;
  args_digest: string;
  authority: Authority;
  is_safe: boolean;
}

/** Why the call may not run now, or nothing when it may. */
export function clearance(call: Call, { tool, args_digest, authority, is_safe }: Claim): string | undefined {
  const last = lastExecution(call);
  if (authority.kind === "verdict") {
    if (call.approvals.length > 0) return "It was asked about, so only a standing approval clears it.";
    if (tool !== call.tool || args_digest !== call.args_digest)
      return "Its arguments are not the ones that were judged.";
    return last === undefined || is_safe ? undefined : "It has run before.";
  }
  const approval = lastApproval(call);
  if (approval?.approval_id !== authority.approval_id)
    return "The approval is not the last one of this call.";
  if (approval.kind === "interrupt") return "It answers a graph's own question: nothing runs here for it.";
  if (approval.status !== "approved" && approval.status !== "edited")
    return `The approval is ${approval.status}.`;
  if (approval.status === "edited" && approval.quorum > 1)
    return `One person edited it, and ${approval.quorum} people must approve what became of it.`;
  const cleared = clearedBy(approval);
  if (tool !== cleared.tool || args_digest !== cleared.args_digest)
    return "It is not the call that was approved.";
  if (approval.execution.state === "blocked") return "The approval was blocked.";
  if (approval.execution.state !== "none" && !is_safe) return "The approval has been used.";
  if (last !== undefined && !is_safe && approval.kind !== "outcome") return "It has run before.";
  return undefined;
}

/** What a standing approval clears: the call as it was shown, or as the reviewer edited it. */
function clearedBy({ status, decision, tool, args_digest }: Approval): { tool: string; args_digest: string } {
  if (status !== "edited" || decision?.args === undefined) return { tool, args_digest };
  return { tool: decision.tool ?? tool, args_digest: digest(decision.args) };
}
