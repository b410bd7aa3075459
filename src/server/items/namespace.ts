import type { MatchCondition } from "@langchain/langgraph-checkpoint";
import { ServerError } from "../problem.ts";

/** The longest namespace and the longest key, in bytes: both together are what PostgreSQL finds an item by. */
export const MAX_BYTES = 1_024;

/** What a namespace may not be, as LangGraph's own stores have it. `mayBeAny`: for reading, also the root and none. */
export function checkNamespace(labels: readonly string[], mayBeAny = false): void {
  if (labels.length === 0 && !mayBeAny) throw bad("namespace", "names no label");
  for (const label of labels) {
    if (label === "") throw bad("namespace", "has an empty label");
    if (/[.:]/.test(label)) throw bad("namespace", `has a "." or ":" in the label "${label.slice(0, 80)}"`);
    checkText("namespace", label);
  }
  if (labels[0] === "langgraph" && !mayBeAny)
    throw bad("namespace", 'begins with "langgraph", which is reserved');
  checkLength("namespace", textOf(labels));
}

export function checkKey(key: string): void {
  if (key === "") throw bad("key", "is empty");
  checkText("key", key);
  checkLength("key", key);
}

/** A namespace as it is kept. */
export function textOf(labels: readonly string[]): string {
  return labels.join(".");
}

export function labelsOf(text: string): string[] {
  return text.split(".");
}

/** Whether a namespace begins or ends as a condition says, where `*` stands for any label. */
export function fits(labels: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > labels.length) return false;
  const start = matchType === "prefix" ? 0 : labels.length - path.length;
  return path.every((label, index) => label === "*" || label === labels[start + index]);
}

/** Not every database keeps every text that JavaScript has. */
function checkText(path: string, text: string): void {
  if (/\0|\p{Surrogate}/u.test(text)) throw bad(path, "holds what is no text (a NUL or half a character)");
}

function checkLength(path: string, text: string): void {
  if (Buffer.byteLength(text) > MAX_BYTES) throw bad(path, `is longer than ${MAX_BYTES} bytes`);
}

function bad(path: string, message: string): ServerError {
  return new ServerError("invalid_request", `The "${path}" ${message}.`, { errors: [{ path, message }] });
}
