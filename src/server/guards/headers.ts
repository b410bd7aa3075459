import type { Context, MiddlewareHandler } from "hono";

/** Sent with each answer. What a route has set itself stands. */
const ALWAYS: Record<string, string> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
  "Content-Security-Policy":
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/**
 * Tells browsers what they may do with an answer: not guess its type, not keep it, not frame it, not hand it to pages of
 * other origins but those that are allowed.
 */
export function secureHeaders(allowOrigins: readonly string[]): MiddlewareHandler {
  const allowed = new Set(allowOrigins);
  return async (c, next) => {
    await next();
    if (isUpgrade(c)) return;
    // Only now: an answer that a route makes by itself, and that to an error, would lose what was set before.
    for (const [name, value] of Object.entries(ALWAYS)) if (!c.res.headers.has(name)) c.header(name, value);
    const isAllowed = allowed.has(c.req.header("origin") ?? "");
    c.header("Cross-Origin-Resource-Policy", isAllowed ? "cross-origin" : "same-origin");
    if (c.req.raw.method === "HEAD") await c.res.body?.cancel();
  };
}

function isUpgrade(c: Context): boolean {
  return c.error === undefined && c.req.header("upgrade")?.toLowerCase() === "websocket";
}
