import { parse } from "unbash";
import type { Command, CompoundList, ParsedScript, Redirection, Script, Statement, Word } from "unbash";
import { readWord, type ShellWord, Undecided } from "./shell-word.ts";
import { whatItRuns } from "./shell-wrapper.ts";

const LONGEST_LINE = 4_096;
const MOST_COMMANDS = 500;
const DEEPEST = 24;

/** A simple command of a line: its name and arguments. */
export type SimpleCommand = readonly ShellWord[];

type Node = Statement["command"];

/**
 * Every simple command that a shell line runs: through lists, pipes, subshells, substitutions, here-documents, and
 * what wrappers run, each wrapper too. Undefined when that cannot be told for certain.
 */
export function readShellLine(line: string): readonly SimpleCommand[] | undefined {
  const found: SimpleCommand[] = [];
  try {
    readText(line, found, 0);
    return found.length === 0 ? undefined : found;
  } catch {
    // Undecided, or a depth that the parser itself does not take.
    return undefined;
  }
}

function readText(line: string, found: SimpleCommand[], depth: number): void {
  if (line.length > LONGEST_LINE || hasOddCharacters(line)) throw new Undecided();
  // `((` is arithmetic to one shell and two subshells to another.
  if (line.includes("((") || line.endsWith("\\")) throw new Undecided();
  readScript(parse(line), found, depth);
}

function readScript(script: Script | ParsedScript, found: SimpleCommand[], depth: number): void {
  if (depth > DEEPEST) throw new Undecided();
  if ("errors" in script && script.errors !== undefined && script.errors.length > 0) throw new Undecided();
  script.commands.forEach((statement) => readNode(statement.command, found, depth + 1));
}

function readList(list: CompoundList | undefined, found: SimpleCommand[], depth: number): void {
  list?.commands.forEach((statement) => readNode(statement.command, found, depth + 1));
}

function readNode(node: Node, found: SimpleCommand[], depth: number): void {
  if (depth > DEEPEST) throw new Undecided();
  switch (node.type) {
    case "Command":
      return readCommand(node, found, depth);
    case "Pipeline":
      if (node.prefixes.some((prefix) => prefix.type === "Time")) throw new Undecided();
      return node.commands.forEach((command) => readNode(command, found, depth + 1));
    case "AndOr":
      return node.commands.forEach((command) => readNode(command, found, depth + 1));
    case "Subshell":
    case "BraceGroup":
      return readList(node.body, found, depth);
    case "Redirected":
      node.redirects.forEach((redirect) => readRedirection(redirect, found, depth));
      return readNode(node.command, found, depth + 1);
    case "If":
      [node.clause, node.then, node.else].forEach((list) => readList(list, found, depth));
      return node.elif.forEach((branch) =>
        [branch.clause, branch.then].forEach((list) => readList(list, found, depth)),
      );
    case "While":
      return [node.clause, node.body].forEach((list) => readList(list, found, depth));
    // Loops over words and the like set variables; functions, tests and arithmetic mean too much.
    case "For":
    case "ArithmeticFor":
    case "Select":
    case "Case":
    case "Function":
    case "Coproc":
    case "TestCommand":
    case "ArithmeticCommand":
      throw new Undecided();
    default:
      return node satisfies never;
  }
}

function readCommand(command: Command, found: SimpleCommand[], depth: number): void {
  if (command.name === undefined) throw new Undecided();
  const words: ShellWord[] = [];
  const add = (word: Word) => words.push(readWord(word, (script) => readScript(script, found, depth + 1)));
  for (const part of command.prefix) {
    if (part.type === "Assignment") throw new Undecided();
    readRedirection(part, found, depth);
  }
  add(command.name);
  for (const part of command.suffix) {
    if (part.type === "Assignment") throw new Undecided();
    if (part.type === "Word") add(part);
    else readRedirection(part, found, depth);
  }
  addCommand(words, found, depth);
}

function addCommand(words: readonly ShellWord[], found: SimpleCommand[], depth: number): void {
  if (depth > DEEPEST || found.length >= MOST_COMMANDS) throw new Undecided();
  found.push(words);
  const inner = whatItRuns(words);
  if (inner.kind === "command") addCommand(inner.words, found, depth + 1);
  if (inner.kind === "script") readText(inner.text, found, depth + 1);
}

function readRedirection(redirect: Redirection, found: SimpleCommand[], depth: number): void {
  const onScript = (script: ParsedScript) => readScript(script, found, depth + 1);
  if (redirect.type === "HereDoc") {
    const plain = /^(['"]?)[A-Za-z0-9_]+\1$/.test(redirect.delimiter?.text ?? "");
    if (!plain || redirect.closing === undefined) throw new Undecided();
    // A line that is joined to the next may hide the end of the document from one shell and not from another.
    if (redirect.delimiter?.quoted === false && redirect.body.text.includes("\\\n")) throw new Undecided();
    const { pos, end, text, parts } = redirect.body;
    readWord({ type: "Word", pos, end, text, value: text, parts }, onScript);
    return;
  }
  if (redirect.target === undefined) throw new Undecided();
  const target = readWord(redirect.target, onScript);
  if (redirect.type === "HereString") return;
  if (redirect.descriptor?.type === "FileDescriptorVariable" || target.kind !== "literal")
    throw new Undecided();
  const duplicates = redirect.operator === ">&" || redirect.operator === "<&";
  if (duplicates && /^([0-9]|-)$/.test(target.text)) return;
  if (redirect.operator !== "<>" && target.text === "/dev/null") return;
  throw new Undecided();
}

/** Control characters other than tab and line feed, and blanks that some shells take for blanks and some do not. */
function hasOddCharacters(line: string): boolean {
  return /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f\u2066-\u2069\u3000\ufeff]/.test(
    line,
  );
}
