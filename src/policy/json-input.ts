import type { Json } from "./json.ts";
import { formatPath, PolicyError } from "./policy-error.ts";

const DEEPEST = 48;
const MOST_NODES = 200_000;

/**
 * A plain copy of what somebody handed in as a policy, with nothing in it but JSON.
 *
 * Getters, cycles, foreign objects, `__proto__` keys and bottomless nesting are refused here, so that the schema
 * behind never meets them. Members that are undefined are left out.
 *
 * @throws {PolicyError}
 */
export function readJsonInput(input: unknown, what = "policy"): Json {
  let nodes = 0;
  const refuse = (path: readonly PropertyKey[], message: string): never => {
    throw new PolicyError([{ path: formatPath(path), message }], what);
  };
  const copy = (value: unknown, path: readonly PropertyKey[]): Json => {
    if (path.length > DEEPEST) return refuse(path.slice(0, 6), `is nested deeper than ${DEEPEST} levels`);
    nodes += 1;
    if (nodes > MOST_NODES) return refuse([], `has more than ${MOST_NODES} parts`);
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number")
      return Number.isFinite(value) ? value : refuse(path, "must be a finite number");
    if (typeof value !== "object") return refuse(path, `must be JSON, not a ${typeof value}`);
    if (Array.isArray(value)) {
      if (value.length > MOST_NODES) return refuse(path, `has more than ${MOST_NODES} entries`);
      return Array.from({ length: value.length }, (_, i) => copy(ownValue(value, i, path), [...path, i]));
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
      return refuse(path, "must be a plain object");
    }
    const result: Record<string, Json> = {};
    for (const key of Object.keys(value)) {
      if (key === "__proto__") return refuse([...path, key], "the key `__proto__` is not allowed; remove it");
      const member = ownValue(value, key, path);
      if (member !== undefined) result[key] = copy(member, [...path, key]);
    }
    return result;
  };
  const ownValue = (owner: object, key: string | number, path: readonly PropertyKey[]): unknown => {
    const property = Object.getOwnPropertyDescriptor(owner, key);
    if (property !== undefined && !("value" in property))
      return refuse([...path, key], "must not be a getter");
    return property?.value;
  };
  try {
    return copy(input, []);
  } catch (error) {
    if (error instanceof PolicyError) throw error;
    throw new PolicyError([{ path: "", message: "cannot be read as JSON" }], what);
  }
}
