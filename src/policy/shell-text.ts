import type { Redirection } from "unbash";
import { Undecided } from "./shell-word.ts";

const LONGEST_LINE = 4_096;

/**
 * Refuses texts that bash and a plain sh may cut into different commands, before any grammar looks at them: the line
 * is read with bash's grammar, but often run by another shell.
 *
 * @throws {Undecided} when the text is one of those
 */
export function checkText(text: string): void {
  if (text.length > LONGEST_LINE || hasOddCharacters(text)) throw new Undecided();
  // `((` is arithmetic to one shell and two subshells to another; `$[` is arithmetic to bash alone.
  if (text.includes("((") || text.includes("$[") || text.endsWith("\\")) throw new Undecided();
  // A line break that is joined away inside an operator or a name need not be joined by every shell.
  if (/(^|[^ \t])\\\n/.test(text)) throw new Undecided();
  // What a comment hides inside parentheses or backquotes depends on when the shell looks for their end.
  if (/[`(]/.test(text) && /(^|[\s;&|()<>`])#/.test(text)) throw new Undecided();
  checkDocuments(text);
}

/**
 * Whether bash and a plain sh read the operator alike: `&>` sends `ls` to the background in a plain sh, which then runs
 * what follows; `>&` with a file, `<<<`, `<>` and descriptors of two digits differ too.
 */
export function isPlainRedirection(redirect: Redirection): boolean {
  const { descriptor } = redirect;
  if (descriptor !== undefined) {
    if (descriptor.type !== "FileDescriptor" || descriptor.end - descriptor.pos !== 1) return false;
  }
  return [">", ">>", ">|", "<", ">&", "<&", "<<", "<<-"].includes(redirect.operator);
}

// Where the body of a here-document starts is certain when its line ends soon after it, without another one.
function checkDocuments(text: string): void {
  const at = text.indexOf("<<");
  if (at === -1) return;
  const rest = text.slice(at);
  const plain = /^<<-?[ \t]*(['"]?)[A-Za-z0-9_]+\1(?![^\s;&|<>])[^'"`$()\\#\n]*\n/.test(rest);
  if (!plain || rest.includes("<<", 2)) throw new Undecided();
}

/** Control characters other than tab and line feed, and blanks that some shells take for blanks and some do not. */
function hasOddCharacters(text: string): boolean {
  return /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f\u2066-\u2069\u3000\ufeff]/.test(
    text,
  );
}
