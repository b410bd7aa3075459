/*
 * What a person sees must be what is there. Characters that a terminal or a page acts upon, or that change how others
 * look (control, bidirectional, zero-width, tags, line separators, odd spaces), are shown as their escape.
 */
const HIDDEN =
  "[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cn}\\p{Cs}\\p{Zl}\\p{Zp}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\ufe00-\\ufe0f\\uffa0\\u{e0100}-\\u{e01ef}]";
const ODD_SPACE = "[^\\S\\u0020\\u3000\\p{Cc}]";

/** A character to escape, or a text that looks like an escape, with the backslashes before it. */
const TO_ESCAPE = new RegExp(`(?<!\\\\)(\\\\*)(?:(${HIDDEN}|${ODD_SPACE})|(u\\{))`, "gu");
const IN_JSON = new RegExp(`${HIDDEN}|${ODD_SPACE}`, "gu");
/** What joins two emoji to one. */
const JOINT =
  /(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})/uy;
/** A fence, which would turn what comes behind it into something else where a page reads Markdown. */
const FENCE = /`{3,}|~{3,}/g;

/**
 * A text on one line with everything hidden in it shown as its escape, such as `\u{202e}`, line breaks and tabs too.
 * Two texts are never shown alike: what looks like an escape has a backslash more.
 */
export function visible(text: string): string {
  return text.replace(TO_ESCAPE, (whole: string, slashes: string, hidden: string | undefined) =>
    hidden === undefined ? doubled(whole, slashes) : `${slashes}${slashes}${escaped(hidden)}`,
  );
}

/** As {@link visible}, and nothing in it begins a block where a page reads Markdown. */
export function visibleLine(text: string): string {
  return visible(text).replace(FENCE, (fence) => [...fence].map(escaped).join(""));
}

/** Prose of a model or a person: line breaks stay, emoji stay whole, all else that is hidden is shown as its escape. */
export function visibleProse(text: string): string {
  return prose(text, doubled);
}

/** As {@link visibleProse}, for words that may have been made visible before: their escapes stay as they are. */
export function visibleAgain(text: string): string {
  return prose(text, (whole) => whole);
}

function prose(text: string, look: (whole: string, slashes: string) => string): string {
  const spaced = text.replaceAll("\r\n", "\n").replaceAll("\t", "    ");
  return spaced.replace(
    TO_ESCAPE,
    (whole: string, slashes: string, hidden: string | undefined, _look: unknown, offset: number) => {
      if (hidden === undefined) return look(whole, slashes);
      if (isOfProse(hidden, spaced, offset + slashes.length)) return whole;
      return `${slashes}${slashes}${escaped(hidden)}`;
    },
  );
}

/** JSON with everything hidden in it as JSON's own escape: still the same value. */
export function visibleJson(json: string): string {
  return json.replace(IN_JSON, (hidden) => {
    const units = Array.from({ length: hidden.length }, (_, index) => hidden.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}

function doubled(whole: string, slashes: string): string {
  return slashes === "" ? whole : `${slashes}${whole}`;
}

function isOfProse(hidden: string, text: string, at: number): boolean {
  if (hidden === "\n" || hidden === "\ufe0f") return true;
  JOINT.lastIndex = at;
  return hidden === "\u200d" ? JOINT.test(text) : /\p{Zs}/u.test(hidden);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
