import type { MiddlewareHandler } from "hono";
import { ServerError } from "../problem.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";

/**
 * Refuses bodies that are nested too deep, before anything is stored of them: what comes after walks values by
 * recursion, and what cannot be walked could be written and never read again.
 */
export function limitDepth({ bodyDepth }: Limits): MiddlewareHandler {
  return async (c, next) => {
    if (["GET", "HEAD", "OPTIONS"].includes(c.req.method)) return next();
    assertShallow(await c.req.text(), bodyDepth);
    return next();
  };
}

/** @throws {ServerError} `invalid_request`, for JSON that is nested too deep, or that schemas cannot look at */
export function assertShallow(text: string, levels: number = DEFAULT_LIMITS.bodyDepth): void {
  assertComparable(text);
  const path = deepPath(text, levels);
  if (path === undefined) return;
  const message = `nested deeper than ${levels} levels`;
  throw new ServerError("invalid_request", `The request is not valid. "${path}": ${message}.`, {
    errors: [{ path, message }],
  });
}

/**
 * A schema compares the `length` of what should be a text, whatever it is, and that throws for an object which says by
 * a member of its own that it cannot become a text.
 */
function assertComparable(text: string): void {
  if (!text.includes('"length"') || !text.includes('"toString"')) return;
  try {
    JSON.parse(text, (key, value: unknown) => {
      const isOdd = typeof value === "object" && value !== null && Object.hasOwn(value, "toString");
      if (key === "length" && isOdd) throw new RangeError(key);
      return value;
    });
  } catch (error) {
    if (!(error instanceof RangeError)) return;
    const message = 'no object with a member "toString" may stand there';
    throw new ServerError("invalid_request", `The request is not valid. "length": ${message}.`, {
      errors: [{ path: "length", message }],
    });
  }
}

/** The path that leads to what is too deep, its first members only. A body that is no JSON is refused elsewhere. */
function deepPath(text: string, levels: number): string | undefined {
  if ((text.match(/[[{]/g)?.length ?? 0) <= levels) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const keys = tooDeep(body, levels);
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
