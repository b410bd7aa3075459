import type { MiddlewareHandler } from "hono";
import { isIP } from "node:net";
import { ServerError } from "../problem.ts";

export interface OriginOptions {
  /** The host that the server is bound to. */
  host: string;
  /** Origins whose pages may use the server, as `https://example.com`. */
  allowOrigins: readonly string[];
}

const METHODS = "GET, POST, PUT, PATCH, DELETE, OPTIONS";
const EXPOSED = "content-location, location, x-pagination-total, x-pagination-next";

/**
 * Keeps web pages of others from deciding: the name in `Host` must be this machine's or the configured one, so that no
 * foreign name can be pointed here, and a page must be of the server's own origin or of one that is allowed.
 */
export function guardOrigin({ host, allowOrigins }: OriginOptions): MiddlewareHandler {
  const origins = new Set(allowOrigins);
  return async (c, next) => {
    const asked = c.req.header("host") ?? new URL(c.req.url).host;
    if (!isOwnHost(hostnameOf(asked), host)) {
      throw new ServerError(
        "forbidden_host",
        `This server does not answer to the name in "Host". Use a loopback address, or start it with "--host".`,
      );
    }
    const origin = c.req.header("origin");
    const isAllowed = origin !== undefined && origins.has(origin);
    const isOwn = origin !== undefined && isSameOrigin(origin, asked);
    const isCrossSite = c.req.header("sec-fetch-site") === "cross-site";
    if ((origin !== undefined && !isAllowed && !isOwn) || (isCrossSite && !isAllowed)) {
      throw new ServerError(
        "forbidden_origin",
        `Pages of this origin may not use this server. Start it with "--allow-origin" and the origin to let them.`,
      );
    }
    if (origin !== undefined && isAllowed) {
      c.header("Access-Control-Allow-Origin", origin);
      c.header("Access-Control-Expose-Headers", EXPOSED);
      c.header("Vary", "Origin");
    }
    if (c.req.method !== "OPTIONS") return next();
    if (isAllowed) {
      c.header("Access-Control-Allow-Methods", METHODS);
      const wanted = c.req.header("access-control-request-headers");
      if (wanted !== undefined) c.header("Access-Control-Allow-Headers", wanted);
      c.header("Access-Control-Max-Age", "600");
    }
    return c.body(null, 204);
  };
}

function hostnameOf(authority: string): string {
  const bracketed = /^\[([^\]]+)\]/.exec(authority);
  return (bracketed?.[1] ?? authority.split(":")[0] ?? "").toLowerCase();
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
