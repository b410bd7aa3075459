import type { Groups } from "./people-document.ts";

/** A group by its name, with the ids of its members. */
export interface Group {
  group: string;
  reviewers: string[];
}

/**
 * Who may decide: whoever is of one of the groups of each list. `null`: everybody who reviews. A group that the policy
 * does not have has no members.
 */
export function membersOfAll(groups: Groups, by: readonly (readonly string[])[]): string[] | null {
  if (by.length === 0) return null;
  const pools = by.map((names) => new Set(names.flatMap((name) => membersOf(groups, name))));
  const [first, ...others] = pools;
  return [...(first ?? [])].filter((id) => others.every((pool) => pool.has(id))).sort();
}

/** The named groups with their members. */
export function groupsOf(groups: Groups, names: readonly string[]): Group[] {
  return names.map((group) => ({ group, reviewers: membersOf(groups, group) }));
}

function membersOf(groups: Groups, name: string): string[] {
  return Object.hasOwn(groups, name) ? [...new Set(groups[name])].sort() : [];
}
