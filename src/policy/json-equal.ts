import type { Json } from "./json.ts";
import { truthOf, type Truth } from "./truth.ts";

/**
 * Whether an argument is the JSON value of a policy, compared deeply. A value of another type is unknown (the text
 * `"5"` is not simply another number than 5), and so is one that JSON cannot hold; null differs from everything else.
 */
export function jsonEqual(expected: Json, actual: unknown): Truth {
  if (expected === null || actual === null) return truthOf(expected === actual);
  const kind = kindOf(actual);
  if (kind === undefined || kind !== kindOf(expected)) return "unknown";
  return same(expected, actual);
}

function same(expected: Json, actual: unknown): Truth {
  if (typeof expected !== "object" || expected === null) {
    return typeof actual === "number" && !Number.isFinite(actual) ? "unknown" : truthOf(expected === actual);
  }
  if (kindOf(expected) !== kindOf(actual)) return "false";
  const members = ownMembers(actual as object);
  if (members === undefined) return "unknown";
  const keys = Object.keys(expected);
  if (keys.length !== members.size) return "false";
  let result: Truth = "true";
  for (const key of keys) {
    if (!members.has(key)) return "false";
    const truth = same((expected as Record<string, Json>)[key] ?? null, members.get(key));
    if (truth === "false") return "false";
    if (truth === "unknown") result = "unknown";
  }
  return result;
}

/** The members of a plain object or list; undefined when one is a getter. Undefined members count as absent. */
function ownMembers(value: object): Map<string, unknown> | undefined {
  const members = new Map<string, unknown>();
  for (const key of Object.keys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property === undefined || !("value" in property)) return undefined;
    if (property.value !== undefined) members.set(key, property.value);
  }
  return members;
}

function kindOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return "list";
  if (value === null) return "null";
  if (typeof value === "object") {
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === null || prototype === Object.prototype ? "object" : undefined;
  }
  return ["string", "boolean", "number"].includes(typeof value) ? typeof value : undefined;
}
