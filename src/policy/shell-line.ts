import { parse } from "unbash";
import type { Command, CompoundList, ParsedScript, Redirection, Script, Statement, Word } from "unbash";
import { checkText, isPlainRedirection } from "./shell-text.ts";
import { readParts, readWord, type ShellWord, Undecided } from "./shell-word.ts";
import { whatItRuns } from "./shell-wrapper.ts";

const MOST_COMMANDS = 500;
const DEEPEST = 24;

// Reserved in some shells, and in some only in some places; behind a redirection, say, they are plain words.
const RESERVED = new Set(
  "! { } [[ ]] case coproc do done elif else esac fi for function if in select then time until while".split(
    " ",
  ),
);

/** A simple command of a line: its name and arguments. */
export type SimpleCommand = readonly ShellWord[];

type Node = Statement["command"];

/**
 * Every simple command that a shell line runs: through lists, pipes, subshells, substitutions, here-documents, and
 * what wrappers run, each wrapper too. Undefined when that cannot be told for certain, also when bash and a plain sh
 * would not run the same.
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
  checkText(line);
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
      // A plain sh knows neither `|&` nor a second `!`.
      if (node.operators.includes("|&") || node.prefixes.length > 1 || node.commands.length === 0)
        throw new Undecided();
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
  if (command.name === undefined || RESERVED.has(command.name.text)) throw new Undecided();
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
  if (!isPlainRedirection(redirect)) throw new Undecided();
  const onScript = (script: ParsedScript) => readScript(script, found, depth + 1);
  if (redirect.type === "HereDoc") {
    const plain = /^(['"]?)[A-Za-z0-9_]+\1$/.test(redirect.delimiter?.text ?? "");
    if (!plain || redirect.closing === undefined) throw new Undecided();
    // A line that is joined to the next may hide the end of the document from one shell and not from another.
    if (redirect.delimiter?.quoted === false && redirect.body.text.includes("\\\n")) throw new Undecided();
    readParts(redirect.body.parts ?? [], onScript, true);
    return;
  }
  if (redirect.target === undefined) throw new Undecided();
  const target = readWord(redirect.target, onScript);
  if (target.kind !== "literal") throw new Undecided();
  const duplicates = redirect.operator === ">&" || redirect.operator === "<&";
  if (!(duplicates ? /^([0-9]|-)$/.test(target.text) : target.text === "/dev/null")) throw new Undecided();
}
