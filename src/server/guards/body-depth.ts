import type { MiddlewareHandler } from "hono";
import { ServerError } from "../problem.ts";

/** How many lists and objects a body may hold inside each other. */
export const MAX_DEPTH = 64;

/**
 * Refuses bodies that are nested too deep, before anything is stored of them: what comes after walks values by
 * recursion, and what cannot be walked could be written and never read again.
 */
export const limitDepth: MiddlewareHandler = async (c, next) => {
  if (["GET", "HEAD", "OPTIONS"].includes(c.req.method)) return next();
  assertShallow(await c.req.text());
  return next();
};

/** @throws {ServerError} `invalid_request`, for JSON that is nested too deep */
export function assertShallow(text: string): void {
  const path = deepPath(text);
  if (path === undefined) return;
  const message = `nested deeper than ${MAX_DEPTH} levels`;
  throw new ServerError("invalid_request", `The request is not valid. "${path}": ${message}.`, {
    errors: [{ path, message }],
  });
}

/** The path that leads to what is too deep, its first members only. A body that is no JSON is refused elsewhere. */
function deepPath(text: string): string | undefined {
  if ((text.match(/[[{]/g)?.length ?? 0) <= MAX_DEPTH) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const keys = tooDeep(body, MAX_DEPTH);
  return keys?.slice(0, 3).join(".").slice(0, 200);
}

function tooDeep(value: unknown, levels: number): string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return [];
  for (const [key, inner] of Object.entries(value)) {
    const below = tooDeep(inner, levels - 1);
    if (below) return [key, ...below];
  }
  return undefined;
}
