import type { ParsedScript, Word, WordPart } from "unbash";

/**
 * A word of a shell command: a text that is certain, one word whose text only the shell knows, or any number of words
 * (an unquoted substitution, a file pattern).
 */
export type ShellWord = { kind: "literal"; text: string } | { kind: "one" } | { kind: "many" };

/** Thrown inside the reading of a shell line where it says something that cannot be decided; never leaves it. */
export class Undecided extends Error {}

/** Reads a word; every command substitution in it is handed to `onScript`, since it runs too. */
export function readWord(word: Word, onScript: (script: ParsedScript) => void): ShellWord {
  const home = /^~(\/|$)/.test(word.text);
  // `~+` and `~name` are folders to some shells, and so is `a=~`.
  if ((word.text.startsWith("~") && !home) || /[=:]~/.test(word.text)) throw new Undecided();
  if (word.parts === undefined) checkLiteral(word.text);
  const kind = readParts(word.parts ?? [], onScript);
  if (kind !== "literal") return { kind };
  return home ? { kind: "one" } : { kind, text: word.value };
}

/** Reads the parts of a word, or of a here-document, whose text counts as being in quotes. */
export function readParts(
  parts: readonly WordPart[],
  onScript: (script: ParsedScript) => void,
  inQuotes = false,
): ShellWord["kind"] {
  let kind: ShellWord["kind"] = "literal";
  for (const part of parts) {
    const found = readPart(part, onScript, inQuotes);
    if (found === "many" || (found === "one" && kind === "literal")) kind = found;
  }
  return kind;
}

// Braces are expanded by some shells and left alone by others; a dollar sign before anything may be an expansion.
function checkLiteral(text: string): void {
  const bare = text.replace(/\\[^]/g, "");
  if ((bare.includes("{") && bare !== "{}") || /\$[^\s/|)]/.test(bare)) throw new Undecided();
}

function readPart(
  part: WordPart,
  onScript: (script: ParsedScript) => void,
  inQuotes = false,
): ShellWord["kind"] {
  switch (part.type) {
    case "Literal":
      if (!inQuotes) checkLiteral(part.text);
      return "literal";
    case "SingleQuoted":
      return "literal";
    case "DoubleQuoted":
      return part.parts.map((inner) => readPart(inner, onScript, true)).every((kind) => kind === "literal")
        ? "literal"
        : "one";
    case "Glob":
      if (part.parts !== undefined) part.parts.forEach((inner) => readPart(inner, onScript));
      else if (/[$`\\]/.test(part.text)) throw new Undecided();
      return "many";
    case "CommandExpansion":
      readSubstitution(part.text, part.script, onScript);
      return "many";
    case "AnsiCQuoted": // Where `$'…'` ends differs between bash and plain sh.
    case "LocaleString":
    case "SimpleExpansion": // What a variable holds is not in the line, so nobody who reads it can tell.
    case "ParameterExpansion":
    case "ArithmeticExpansion":
    case "ExtendedGlob":
    case "BraceExpansion": // What only bash knows is something else, or an error, to a plain sh.
    case "ProcessSubstitution":
      throw new Undecided();
    default:
      return part satisfies never;
  }
}

function readSubstitution(
  text: string,
  script: ParsedScript | undefined,
  onScript: (script: ParsedScript) => void,
): void {
  // Backslashes and quotes inside backquotes are read differently by different shells, `${ …; }` by new ones only.
  if (script === undefined || text.startsWith("${") || /^`[^]*[\\'"]/.test(text)) throw new Undecided();
  onScript(script);
}
