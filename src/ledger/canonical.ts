import * as crypto from "node:crypto";

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
  return inOneCall === undefined
    ? crypto.createHash("sha256").update(text, "utf8").digest("hex")
    : inOneCall("sha256", text, "hex");
}

// Twice as fast, and newer than the oldest Node.js that this package runs on.
const inOneCall = (crypto as Partial<typeof crypto>).hash;

const MAX_DEPTH = 1_000;

// Written by hand since an object with integer-like keys cannot be sorted for JSON.stringify: engines put those first.
function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new TypeError(`JSON nested deeper than ${MAX_DEPTH} has no canonical form.`);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return writeArray(value, depth);
  if (hasToJson(value)) return write(value.toJSON(), depth + 1);
  let text = "";
  // The order of sort() without a function is that of UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    const inner = (value as Record<string, unknown>)[name];
    if (inner === undefined || typeof inner === "function" || typeof inner === "symbol") continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${write(inner, depth + 1)}`;
  }
  return `{${text}}`;
}

function writeArray(items: readonly unknown[], depth: number): string {
  let text = "";
  // By index, since the holes of an array count.
  for (let at = 0; at < items.length; at += 1) text += `${at === 0 ? "" : ","}${write(items[at], depth + 1)}`;
  return `[${text}]`;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === "function";
}
