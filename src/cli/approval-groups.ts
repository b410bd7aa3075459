import type { Approval } from "../ledger/index.ts";
import { exact } from "./readable.ts";
import { clip } from "./wrap.ts";

/** Approvals in their order, those of a group that are pending at the place of the first of them. */
export function inGroups(approvals: readonly Approval[]): Approval[][] {
  const groups = new Map<string, Approval[]>();
  for (const one of approvals) {
    const key = one.status === "pending" && one.group_id !== null ? one.group_id : one.approval_id;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()];
}

/** What a group is: `5 calls of delete_file, alike`. */
export function groupWords(group: readonly Approval[]): string {
  return `${group.length} calls of ${clip(exact(group[0]?.tool ?? ""), 30)}, alike`;
}

/** The line above each approval that is the first of several of its group. */
export function groupLines(groups: readonly Approval[][]): Map<Approval | undefined, string> {
  const several = groups.filter(({ length }) => length > 1);
  return new Map(several.map((group) => [group[0], `${groupWords(group)}: ${group[0]?.group_id}`]));
}
