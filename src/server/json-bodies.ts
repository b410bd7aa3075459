import { bodyLimit } from "hono/body-limit";
import type { MiddlewareHandler } from "hono";
import { ServerError } from "./problem.ts";

/** The largest body, in bytes. */
const MAX_BODY = 1024 * 1024;

/**
 * Bodies are JSON and say so. A page can send other types without asking first, so what comes from a browser must say
 * it even without a body.
 */
export const onlyJson: MiddlewareHandler = async (c, next) => {
  if (["GET", "HEAD", "OPTIONS"].includes(c.req.method)) return next();
  const type = c.req.header("content-type");
  const hasBody =
    Number(c.req.header("content-length") ?? 0) > 0 || c.req.header("transfer-encoding") !== undefined;
  const isBrowser = c.req.header("origin") !== undefined || c.req.header("sec-fetch-site") !== undefined;
  const isJson = type?.split(";")[0]?.trim().toLowerCase() === "application/json";
  if (!isJson && (hasBody || isBrowser || type !== undefined))
    throw new ServerError("unsupported_media_type", 'Send JSON, with "Content-Type: application/json".');
  return next();
};

export const limitBody: MiddlewareHandler = bodyLimit({
  maxSize: MAX_BODY,
  onError: () => {
    throw new ServerError("body_too_large", "The body is larger than 1 MiB.");
  },
});
