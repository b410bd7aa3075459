import type { MiddlewareHandler } from "hono";
import { ServerError } from "../problem.ts";
import type { Limits } from "./limits.ts";

/** Refuses addresses that are too long. */
export function limitUrl({ urlLength }: Limits): MiddlewareHandler {
  return async (c, next) => {
    if (c.req.url.length > urlLength)
      throw new ServerError("url_too_long", `The address is longer than ${urlLength} characters.`);
    return next();
  };
}
