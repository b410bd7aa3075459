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
  if (word.parts === undefined) {
    return word.text.startsWith("~") ? { kind: "one" } : { kind: "literal", text: word.value };
  }
  let kind: ShellWord["kind"] = word.text.startsWith("~") ? "one" : "literal";
  for (const part of word.parts) {
    const found = readPart(part, onScript);
    if (found === "many" || (found === "one" && kind === "literal")) kind = found;
  }
  return kind === "literal" ? { kind, text: word.value } : { kind };
}

function readPart(part: WordPart, onScript: (script: ParsedScript) => void): ShellWord["kind"] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return "literal";
    case "DoubleQuoted":
      return part.parts.map((inner) => readPart(inner, onScript)).every((kind) => kind === "literal")
        ? "literal"
        : "one";
    case "Glob":
    case "BraceExpansion":
      if (part.parts !== undefined) part.parts.forEach((inner) => readPart(inner, onScript));
      else if (/[$`\\]/.test(part.text)) throw new Undecided();
      // Braces are expanded by some shells and left alone by others.
      return "many";
    case "CommandExpansion":
      readSubstitution(part.text, part.script, onScript);
      return "many";
    case "ProcessSubstitution":
      readSubstitution(part.text, part.script, onScript);
      return "one";
    case "AnsiCQuoted": // Where `$'…'` ends differs between bash and plain sh.
    case "LocaleString":
    case "SimpleExpansion": // What a variable holds is not in the line, so nobody who reads it can tell.
    case "ParameterExpansion":
    case "ArithmeticExpansion":
    case "ExtendedGlob":
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
  // Backslashes inside backquotes are read differently by different shells, and `${ …; }` by new ones only.
  if (script === undefined || text.startsWith("${") || (text.startsWith("`") && text.includes("\\"))) {
    throw new Undecided();
  }
  onScript(script);
}
