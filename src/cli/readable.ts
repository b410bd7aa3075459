/*
 * What a reviewer sees must be what is there. Characters that a terminal acts upon, or that change how others look
 * (control, bidirectional, zero-width, tags, odd spaces), are shown as their escape.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]/gu;
const ODD_SPACE = /[^\S\u0020\u3000\p{Cc}]/gu;

/** Arguments of a call, ids and names: everything hidden is shown as its escape, line breaks and tabs too. */
export function exact(text: string): string {
  return text.replace(HIDDEN, escaped).replace(ODD_SPACE, escaped);
}

/** Prose of a model or a person: line breaks stay, emoji stay whole, everything else hidden is escaped. */
export function readable(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll("\t", "    ")
    .replace(HIDDEN, (hidden) => (/[\n\u200d\ufe0f]/u.test(hidden) ? hidden : escaped(hidden)));
}

/** A value as JSON on several lines, everything hidden in it as JSON's own escape: still the same value. */
export function prettyJson(value: unknown): string[] {
  return (JSON.stringify(value, null, 2) ?? "null").split("\n").map(exactJson);
}

/** A value as JSON on one line, everything hidden in it as JSON's own escape: still the same value. */
export function flatJson(value: unknown): string {
  return exactJson(JSON.stringify(value) ?? "null");
}

function exactJson(text: string): string {
  return text.replace(HIDDEN, jsonEscaped).replace(ODD_SPACE, jsonEscaped);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function jsonEscaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
