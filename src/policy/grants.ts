import { formatDuration, parseDuration } from "./duration.ts";

/** For whose calls a decision may be remembered. */
export const SCOPES = ["thread", "user", "everyone"] as const;
export type Scope = (typeof SCOPES)[number];

/** What of decisions may be remembered, as written. */
export interface GrantsInput {
  scopes?: Scope[] | undefined;
  maxTtl?: string | undefined;
  maxUses?: number | undefined;
}

/** What of decisions may be remembered at most. */
export interface Grants {
  scopes: Scope[];
  maxTtl: string;
  maxUses: number;
}

/** Fills in the defaults: for the same thread, for 8 hours, for 50 calls. */
export function fillGrants({ scopes = ["thread"], maxTtl = "8h", maxUses = 50 }: GrantsInput): Grants {
  return { scopes: inOrder(scopes), maxTtl, maxUses };
}

/** What two blocks say together: the scopes that both allow, the shorter time, the fewer uses. */
export function strictestGrants(a: GrantsInput, b: GrantsInput): GrantsInput {
  const scopes =
    a.scopes && b.scopes ? a.scopes.filter((one) => b.scopes?.includes(one)) : (a.scopes ?? b.scopes);
  const ms = [a.maxTtl, b.maxTtl].flatMap((ttl) => (ttl === undefined ? [] : [parseDuration(ttl)]));
  const uses = [a.maxUses, b.maxUses].flatMap((one) => one ?? []);
  return {
    ...(scopes && { scopes: inOrder(scopes) }),
    ...(ms.length > 0 && { maxTtl: formatDuration(Math.min(...ms)) }),
    ...(uses.length > 0 && { maxUses: Math.min(...uses) }),
  };
}

function inOrder(scopes: readonly Scope[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope));
}
