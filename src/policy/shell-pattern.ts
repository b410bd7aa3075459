import { parse, type Word } from "unbash";
import { readShellLine, type SimpleCommand } from "./shell-line.ts";
import { readWord, type ShellWord } from "./shell-word.ts";
import { every, some, type Truth } from "./truth.ts";

/** A pattern of words: fixed ones, `one` for any single word, and whether any further words may follow. */
export interface ShellPattern {
  words: readonly (string | { kind: "one" })[];
  open: boolean;
}

/**
 * Reads a pattern such as `"git log *"`: words as a shell reads them, with `*` as a word of its own; as the last word
 * it stands for any further words, zero too, elsewhere for exactly one.
 *
 * @throws {SyntaxError} when it is anything but one plain command
 */
export function parseShellPattern(text: string): ShellPattern {
  const script = parse(text);
  const command = script.commands[0]?.command;
  const sole = script.commands.length === 1 && script.commands[0]?.background !== true;
  if (!sole || script.errors?.length || command?.type !== "Command" || command.name === undefined) {
    throw new SyntaxError("must be one command without operators; list several patterns instead");
  }
  if (/[\u0000-\u001f\u007f]|(^|\s)#/.test(text)) throw new SyntaxError("must be one line without a comment");
  const words = [command.name, ...command.suffix].map((word) => {
    if (word.type !== "Word") throw new SyntaxError("must hold no assignment and no redirection");
    if (word.text === "*") return { kind: "one" as const };
    return plainText(word);
  });
  if (command.prefix.length > 0) throw new SyntaxError("must hold no assignment and no redirection");
  const open = typeof words.at(-1) !== "string";
  return { words: open ? words.slice(0, -1) : words, open };
}

/**
 * Whether every simple command of a shell line matches one of the patterns; unknown when the line holds anything that
 * cannot be decided by reading it.
 */
export function matchShell(patterns: readonly ShellPattern[], line: string): Truth {
  const commands = readOnce(line);
  if (commands === undefined) return "unknown";
  return every(commands, (command) => some(patterns, (pattern) => matchCommand(pattern, command)));
}

function matchCommand(pattern: ShellPattern, command: readonly ShellWord[]): Truth {
  let result: Truth = "true";
  for (const [index, expected] of pattern.words.entries()) {
    const word = command[index];
    if (word === undefined) return "false";
    if (word.kind === "many") return "unknown";
    if (typeof expected !== "string") continue;
    if (word.kind === "one") result = "unknown";
    else if (word.text !== expected) return "false";
  }
  const further = command.slice(pattern.words.length);
  if (pattern.open || further.length === 0) return result;
  return further.every((word) => word.kind === "many") ? "unknown" : "false";
}

function plainText(word: Word): string {
  try {
    const read = readWord(word, () => {});
    if (read.kind === "literal") return read.text;
  } catch {
    // Refused below, like everything else that is no plain word.
  }
  throw new SyntaxError(
    `has "${word.text}"; \`*\` stands as a word of its own, special characters need quotes`,
  );
}

// Many rules usually look at one line, one after the other, so the last one read is kept.
let last: { line: string; commands: readonly SimpleCommand[] | undefined } | undefined;

function readOnce(line: string): readonly SimpleCommand[] | undefined {
  if (last?.line !== line) last = { line, commands: readShellLine(line) };
  return last.commands;
}
