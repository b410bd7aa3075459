import { isIP } from "node:net";
import { ServerError } from "../problem.ts";
import { isPublicAddress } from "./public-address.ts";

/** Says whether webhooks may go to an address that a host name led to. */
export type MayReach = (hostname: string, address: string) => boolean;

/** Every public address may be reached, and whatever the hosts lead to that the owner named. */
export function reachable(allowed: readonly string[]): MayReach {
  const names = new Set(allowed.map(plainName));
  return (hostname, address) => {
    const name = plainName(hostname);
    if (names.has(name) || isPublicAddress(address)) return true;
    return names.has("localhost") && isLoopback(name);
  };
}

/**
 * Refuses a webhook that cannot be meant, before anything is begun for it. What its name leads to is looked at when it
 * is told, each time anew.
 *
 * @throws {ServerError} `invalid_request`
 */
export function assertWebhook(webhook: string | null | undefined, mayReach: MayReach): void {
  if (webhook === null || webhook === undefined) return;
  const fault = faultOf(new URL(webhook), mayReach);
  if (fault === "has_user") throw refused("may hold no user name and no password");
  if (fault === "not_public")
    throw refused("leads to an address that is not public; the server's owner can allow its host");
}

/** Why an address is not one to post to, as far as it says so itself; `null` where it does not. */
export function faultOf(
  { hostname, username, password }: URL,
  mayReach: MayReach,
): "has_user" | "not_public" | null {
  if (username !== "" || password !== "") return "has_user";
  const name = plainName(hostname);
  const isLiteral = isIP(name) !== 0 || isLoopback(name);
  if (!isLiteral || mayReach(hostname, isLoopback(name) ? "127.0.0.1" : name)) return null;
  return "not_public";
}

/** A host without the brackets around IPv6, the dot at its end, and capitals. */
export function plainName(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
}

function isLoopback(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127\./.test(name);
}

function refused(why: string): ServerError {
  return new ServerError("invalid_request", `"webhook" ${why}. Nothing was begun.`, {
    errors: [{ path: "webhook", message: why }],
  });
}
