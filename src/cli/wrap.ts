/** The columns that output for people keeps to. */
export const COLUMNS = 80;

const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;
const NARROWLESS = /[\p{Mn}\p{Me}\u200d\ufe0f]/u;

/** How many columns a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += NARROWLESS.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** The text when it fits, else its beginning and an ellipsis. */
export function clip(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return `${head(text, width - 1)}…`;
}

/** Breaks a text into lines of at most `width` columns: at spaces, and inside a word that is longer than a line. */
export function wrap(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, width));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/(?<= )/)) {
    let rest = word;
    if (widthOf(current) + widthOf(rest.trimEnd()) > width && current.trim() !== "") {
      lines.push(current.trimEnd());
      current = "";
    }
    // Here the line is empty or only indented, and the word has no place in it as a whole.
    while (widthOf(current) + widthOf(rest.trimEnd()) > width) {
      const part = head(rest, width - widthOf(current));
      lines.push((current + part).trimEnd());
      rest = rest.slice(part.length);
      current = "";
    }
    current += rest;
  }
  return [...lines, current.trimEnd()];
}

function head(text: string, width: number): string {
  let part = "";
  let used = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width) break;
    part += character;
  }
  return part;
}
