import type { Approval } from "./approval.ts";
import { canonicalJson, sha256 } from "./canonical.ts";

/** What makes calls alike: the turn, the tool, the names of the arguments, and the rules that asked. */
type Grouped = Pick<Approval, "kind" | "turn_id" | "tool" | "args" | "rules">;

/**
 * The group that a question is shown in: the calls of one turn that differ in the values of their arguments alone. It
 * follows from the question, so that no row has to keep it. `null` for what is no question about a call.
 */
export function groupId({ kind, turn_id, tool, args, rules }: Grouped): string | null {
  if (kind !== "call") return null;
  const names = Object.keys(args).sort();
  return `grp_${sha256(canonicalJson([turn_id, tool, names, [...rules].sort()])).slice(0, 32)}`;
}
