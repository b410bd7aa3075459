import { RE2JS } from "re2js";
import { agree, truthOf, type Truth } from "./truth.ts";

const LONGEST_PATTERN = 2_000;
const LONGEST_TEXT = 16_384;
const MOST_STEPS = 2_000_000;

/** Tests a whole text; unknown when the text is too long to judge in bounded time. */
export type TextTest = (text: string) => Truth;

/**
 * Compiles a regular expression for an engine whose time is linear in the text; the whole text must match.
 *
 * A dot does not match a line break. That is the safe reading where a match relaxes and the unsafe one where it
 * tightens, so a text with line breaks is read both ways and is unknown where they differ.
 *
 * @throws {SyntaxError} when the engine does not take the pattern
 */
export function compileRegex(pattern: string): TextTest {
  if (pattern.length > LONGEST_PATTERN) throw new SyntaxError(`is longer than ${LONGEST_PATTERN} characters`);
  const byLine = compile(pattern, 0);
  const acrossLines = compile(pattern, RE2JS.DOTALL);
  const longest = Math.min(LONGEST_TEXT, MOST_STEPS / Math.max(1, byLine.programSize()));
  return (text) => {
    if (text.length > longest) return "unknown";
    const truth = truthOf(byLine.matches(text));
    return /[\n\r\u2028\u2029]/.test(text) ? agree(truth, truthOf(acrossLines.matches(text))) : truth;
  };
}

function compile(pattern: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(pattern, flags);
  } catch (cause) {
    const detail =
      cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, "") : "unreadable";
    throw new SyntaxError(detail, { cause });
  }
}
