import type { Context } from "hono";
import { z } from "zod";
import type { DecidedBy } from "../../ledger/index.ts";

/**
 * What somebody may do. `viewer` sees everything and changes nothing; `requester` starts runs and sees the threads that
 * are their own; `reviewer` sees everything and decides; `admin` may do all of it.
 */
export const Role = z.enum(["viewer", "requester", "reviewer", "admin"]).meta({ id: "Role" });
export type Role = z.infer<typeof Role>;

/** Who sends a request, as the credential says; nothing in a body or a header of theirs can change it. */
export interface Principal {
  /** `null`: nobody had to say who they are, as on loopback without tokens. */
  id: string | null;
  roles: ReadonlySet<Role>;
  via: "loopback" | "token" | "jwt";
}

/** Whoever reaches a server that asks nobody who they are. */
export const ANYBODY: Principal = { id: null, roles: new Set<Role>(["admin"]), via: "loopback" };

const KEY = "principal";

/** Keeps who sends a request, for its route. */
export function setPrincipal(c: Context, principal: Principal): void {
  c.set(KEY, principal);
}

/** Who sends a request. */
export function principalOf(c: Context): Principal {
  return (c.get(KEY) as Principal | undefined) ?? ANYBODY;
}

/** Whether they have one of these roles. An admin has all. */
export function hasRole({ roles }: Principal, ...wanted: readonly Role[]): boolean {
  return roles.has("admin") || wanted.some((role) => roles.has(role));
}

/** Whether they see the threads of others. */
export function seesAll(principal: Principal): boolean {
  return hasRole(principal, "viewer", "reviewer");
}

/** Whether they see states whole, with what policy masks: an admin who has said who they are. */
export function seesWhole(principal: Principal): boolean {
  return principal.via !== "loopback" && principal.roles.has("admin");
}

/** Who decides, as the ledger has it: from the credential alone. */
export function decider({ id }: Principal): DecidedBy {
  return deciderBy(id);
}

/** The same, where only the id is known. */
export function deciderBy(id: string | null): DecidedBy {
  return { kind: "user", ...(id !== null && { id }) };
}
