import { createHash } from "node:crypto";

/**
 * The canonical JSON of a value (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers as
 * ECMAScript writes them. Two values have the same text exactly when they are the same JSON.
 *
 * @throws {TypeError} on what JSON cannot hold: a bigint, or nesting deeper than 1,000 (a cycle included).
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

/** `sha256:` and the hexadecimal digest of the canonical JSON of `value`. */
export function digest(value: unknown): string {
  return `sha256:${sha256(canonicalJson(value))}`;
}

/** The hexadecimal SHA-256 of a text in UTF-8. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

const MAX_DEPTH = 1_000;

// Written by hand since an object with integer-like keys cannot be sorted for JSON.stringify: engines put those first.
function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new TypeError(`JSON nested deeper than ${MAX_DEPTH} has no canonical form.`);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  // Not by map(), which passes over the holes of an array.
  if (Array.isArray(value)) return `[${Array.from(value, (item) => write(item, depth + 1)).join(",")}]`;
  if (hasToJson(value)) return write(value.toJSON(), depth + 1);
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined && typeof inner !== "function" && typeof inner !== "symbol")
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${write(inner, depth + 1)}`).join(",")}}`;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === "function";
}
