import type { HonoRequest, MiddlewareHandler } from "hono";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { problemOf, ServerError } from "../problem.ts";
import { StartError } from "../start-error.ts";

export interface OriginOptions {
  /** The host that the server is bound to. */
  host: string;
  /** Origins whose pages may use the server, as `https://example.com`. */
  allowOrigins: readonly string[];
}

/** Another port of this machine is the same site to a browser, and somebody else's page all the same. */
const FOREIGN: ReadonlySet<string> = new Set(["cross-site", "same-site"]);

/** What a person may come to from a link anywhere. These show a page, which cannot be framed, and change nothing. */
const PAGES = /^\/(docs|inbox(\/.*)?)?$/;

const METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const EXPOSED = "content-location, location, x-pagination-total, x-pagination-next";

/**
 * Keeps web pages of others from deciding: the name in `Host` must be this machine's or the configured one, so that no
 * foreign name can be pointed here, and a page must be of the server's own origin or of one that is allowed.
 *
 * @throws {StartError} `bad_origin` at once, when one that is allowed is no origin.
 */
export function guardOrigin({ host, allowOrigins }: OriginOptions): MiddlewareHandler {
  const origins = new Set(allowOrigins.map(readOrigin));
  return async (c, next) => {
    const asked = c.req.header("host") ?? new URL(c.req.url).host;
    const name = hostnameOf(asked);
    if (name === null || !isOwnHost(name, host)) throw foreignHost();
    const origin = c.req.header("origin");
    const isAllowed = origin !== undefined && origins.has(origin);
    const isOwn = origin !== undefined && isSameOrigin(origin, asked);
    const isForeign = FOREIGN.has(c.req.header("sec-fetch-site") ?? "") && !isOpeningPage(c.req);
    if ((origin !== undefined && !isAllowed && !isOwn) || (isForeign && !isAllowed)) {
      throw new ServerError(
        "forbidden_origin",
        `Pages of this origin may not use this server. Start it with "--allow-origin" and the origin to let them.`,
      );
    }
    const isPreflight = c.req.method === "OPTIONS";
    if (isPreflight) c.res = c.body(null, 204);
    else await next();
    if (!isAllowed) return;
    // Only now: an answer that a route makes by itself, and that to an error, would lose what was set before.
    const headers = { ...allowing(origin), ...(isPreflight && answerPreflight(c.req)) };
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
  };
}

function foreignHost(): ServerError {
  const message = `This server does not answer to the name in "Host". Use a loopback address, or start it with "--host".`;
  return new ServerError("forbidden_host", message);
}

/**
 * Answers a request whose `Host` is no name at all, before anything makes an address of it.
 *
 * @returns whether it was answered.
 */
export function refuseNoHost({ headers }: IncomingMessage, response: ServerResponse): boolean {
  if (headers.host === undefined || isWritten(headers.host)) return false;
  const found = problemOf(foreignHost());
  response
    .writeHead(found.status, {
      "Content-Type": "application/problem+json",
      "X-Content-Type-Options": "nosniff",
      Connection: "close",
    })
    .end(JSON.stringify(found));
  return true;
}

function allowing(origin: string): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": EXPOSED,
    Vary: "Origin",
  };
}

/** Which headers a page may send is no secret, and what it may do is said by its origin: what it asks for is allowed. */
function answerPreflight(req: HonoRequest): Record<string, string> {
  const wanted = req.header("access-control-request-headers");
  const isPrivate = req.header("access-control-request-private-network") === "true";
  return {
    "Access-Control-Allow-Methods": METHODS,
    "Access-Control-Max-Age": "600",
    ...(wanted !== undefined && { "Access-Control-Allow-Headers": wanted }),
    // Some browsers ask this before a page of the internet talks to a machine at home.
    ...(isPrivate && { "Access-Control-Allow-Private-Network": "true" }),
  };
}

/** An origin as browsers send it. @throws {StartError} `bad_origin` */
export function readOrigin(text: string): string {
  const shown = `The origin ${JSON.stringify(text.slice(0, 200))} cannot be allowed`;
  if (text === "*")
    throw new StartError(
      "bad_origin",
      `${shown}: any page that a browser opens could decide then. Name each page's origin, like "http://localhost:3000".`,
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.origin === text) return text;
  const meant = url && /^https?:$/.test(url.protocol) ? url.origin : "http://localhost:3000";
  throw new StartError("bad_origin", `${shown}: it is no origin. Write it like "${meant}".`);
}

/** Whether a person follows a link to a page, or types its address. */
function isOpeningPage(req: HonoRequest): boolean {
  const isGet = req.method === "GET" && req.header("origin") === undefined;
  const isDocument =
    req.header("sec-fetch-mode") === "navigate" && req.header("sec-fetch-dest") === "document";
  return isGet && isDocument && PAGES.test(req.path);
}

/** The name in an authority, and nothing that only begins like one. */
function hostnameOf(authority: string): string | null {
  const [, bracketed, name] = /^(?:\[([\da-f:.]+)\]|([a-z\d._-]+))(?::\d{1,5})?$/i.exec(authority) ?? [];
  return (bracketed ?? name)?.toLowerCase() ?? null;
}

/** Whether an authority is written as addresses write it: `0x7f.1` is another name for one. */
function isWritten(authority: string): boolean {
  const name = hostnameOf(authority);
  if (name === null || !URL.canParse(`http://${authority}`)) return false;
  return new URL(`http://${authority}`).hostname.replace(/^\[|\]$/g, "") === name;
}

function isOwnHost(name: string, configured: string): boolean {
  if (name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127\./.test(name))
    return isLocal(name);
  if (name === configured.toLowerCase()) return true;
  // Bound to every address: whichever was used is one, and no foreign name is an address.
  return (configured === "0.0.0.0" || configured === "::") && isIP(name) !== 0;
}

/** `127.0.0.1.example.com` begins like a loopback address and is none. */
function isLocal(name: string): boolean {
  return isIP(name) !== 0 || name === "localhost" || name.endsWith(".localhost");
}

function isSameOrigin(origin: string, asked: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  return (protocol === "http:" || protocol === "https:") && host === asked.toLowerCase();
}
