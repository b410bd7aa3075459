import { visible, visibleAgain, visibleJson, visibleProse } from "../policy/visible.ts";

/** Arguments of a call, ids and names: everything hidden is shown as its escape, line breaks and tabs too. */
export const exact = visible;

/** Prose of a model or a person: line breaks stay, emoji stay whole, everything else hidden is escaped. */
export const readable = visibleProse;

/** Words that were made for people to read and have been made readable: what is hidden all the same is escaped. */
export const readableAgain = visibleAgain;

/** A value as JSON on several lines, everything hidden in it as JSON's own escape: still the same value. */
export function prettyJson(value: unknown): string[] {
  return (JSON.stringify(value, null, 2) ?? "null").split("\n").map(visibleJson);
}

/** A value as JSON on one line, everything hidden in it as JSON's own escape: still the same value. */
export function flatJson(value: unknown): string {
  return visibleJson(JSON.stringify(value) ?? "null");
}
