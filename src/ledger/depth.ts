/**
 * How deep the arguments of a call may be nested. LangChain reads messages back to a depth of 50, the message's own
 * levels included: a call that is deeper could be stored and never read again.
 */
export const MAX_ARGS_DEPTH = 32;

/** Whether a value is nested deeper than so many levels. Looks no deeper than that, so a cycle is deeper. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
