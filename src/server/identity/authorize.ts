import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { DeskError } from "../../desk/index.ts";
import type { ServerParts } from "../parts.ts";
import { ServerError } from "../problem.ts";
import { ACCESS, ADMIN, OPEN } from "./access.ts";
import { setCredential, type Credential } from "./credential.ts";
import type { Identity } from "./identity.ts";
import { forbidden, noThread } from "./may.ts";
import { ownerOf, type Named } from "./own-threads.ts";
import { hasRole, seesAll, setPrincipal, type Principal } from "./principal.ts";
import { untilRevoked } from "./until-revoked.ts";

/** How long a read may take before it is looked again whether its reader may read it. */
const LONG_MS = 1_000;

/**
 * Finds out who sends a request and lets through what they may do, by the table in `access.ts`. The threads of others
 * are not there for whoever does not see them. A stream ends when the credential does.
 */
export function authorize(parts: Pick<ServerParts, "identity" | "ports">): MiddlewareHandler {
  const { identity } = parts;
  return async (c, next) => {
    const route = routeOf(c);
    if (route !== null && OPEN.has(route)) return next();
    const credential = await identity.admit(c);
    setCredential(c, credential);
    setPrincipal(c, credential.principal);
    if (route !== null) await assertAllowed(parts, credential.principal, { route, path: c.req.path });
    const begun = performance.now();
    await next();
    if (c.error !== undefined) return;
    if (isStream(c)) endWith(c, identity, credential);
    else if (c.req.method === "GET" && performance.now() - begun > LONG_MS && !(await credential.holds()))
      throw new ServerError("unauthorized", "Your credential expired or was revoked meanwhile.");
  };
}

/** The route that answers, as `access.ts` names it; `null` where there is none. */
function routeOf(c: Context): string | null {
  const found = matchedRoutes(c).find(({ method }) => method !== "ALL");
  return found === undefined ? null : `${found.method} ${found.path}`;
}

/** @throws {ServerError | DeskError} `forbidden`, or that there is no such thing */
async function assertAllowed(
  parts: Pick<ServerParts, "ports">,
  by: Principal,
  { route, path }: { route: string; path: string },
): Promise<void> {
  const { any, own } = Object.hasOwn(ACCESS, route) ? (ACCESS[route] ?? ADMIN) : ADMIN;
  if (hasRole(by, ...any)) return;
  if (own.length === 0 || !hasRole(by, ...own)) throw forbidden(by, [...any, ...own]);
  const named = namedIn(route, path);
  if (named === null) return;
  const owner = await ownerOf(parts, named);
  if (owner === undefined || (by.id !== null && owner === by.id)) return;
  throw seesAll(by) ? forbidden(by, own, true) : missing(named);
}

/** What a path names, read as the router reads it; `null` for a path that names none of these. */
function namedIn(route: string, path: string): Named | null {
  const values = path.split("/");
  const [, pattern = ""] = route.split(" ");
  const named = pattern.split("/").flatMap((segment, index) => {
    const value = values[index];
    return segment.startsWith(":") && value !== undefined ? [[segment.slice(1), decoded(value)]] : [];
  });
  const { thread_id, run_id, approval_id } = Object.fromEntries(named) as Named;
  if (thread_id === undefined && run_id === undefined && approval_id === undefined) return null;
  return { thread_id, run_id, approval_id };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What is said of a thing that is not there. */
function missing({ thread_id, run_id, approval_id }: Named): Error {
  if (thread_id !== undefined) return noThread(thread_id);
  if (run_id !== undefined) return new ServerError("run_not_found", `There is no run "${run_id}".`);
  const id = (approval_id ?? "").slice(0, 80);
  return new DeskError("unknown_approval", `There is no approval "${id}".`);
}

/** Whether an answer stays open: events, and what a run leaves when it has stopped. */
function isStream(c: Context): boolean {
  if (/\/(wait|join)$/.test(c.req.path)) return true;
  return c.res.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

function endWith(c: Context, identity: Identity, credential: Credential): void {
  const { body } = c.res;
  if (body === null) return;
  const ending = untilRevoked(body, (onEnd) => identity.watch(credential, onEnd));
  const answer = new Response(ending, c.res);
  // Unset first, so that no header is taken over twice.
  c.res = undefined;
  c.res = answer;
}
