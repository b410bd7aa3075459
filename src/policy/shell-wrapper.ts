import { type ShellWord, Undecided } from "./shell-word.ts";

/** Commands that run something else in a way that cannot be read from the line, or that change what later words mean. */
const NEVER_DECIDED = new Set(
  (
    "sudo doas su runuser pkexec xargs parallel eval exec source . trap alias unalias builtin enable coproc busybox " +
    "nohup setsid stdbuf ionice chrt taskset time watch script chroot unshare nsenter flock strace ltrace setarch " +
    "let declare typeset local readonly export read mapfile readarray getopts unset set shopt hash bind complete " +
    "compgen compopt fc jobs zsh ksh mksh fish csh tcsh ash rbash function"
  ).split(" "),
);

const FIND_ACTIONS = /^-(exec|execdir|ok|okdir|delete|fls|fprint|fprint0|fprintf)$/;
const SHELLS = new Set(["sh", "bash", "dash"]);

/** What a command runs besides itself: another command, a shell script, or nothing. */
export type Inner =
  { kind: "nothing" } | { kind: "command"; words: ShellWord[] } | { kind: "script"; text: string };

/**
 * Looks through wrappers: `env`, `nice`, `timeout` and `command` run their later words, `sh -c` runs a script.
 *
 * @throws {Undecided} when what is run cannot be told
 */
export function whatItRuns(words: readonly ShellWord[]): Inner {
  const name = literal(words[0]);
  // The base name in lower case: a path runs the same program, and some file systems ignore case.
  const program = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  if (program === "" || NEVER_DECIDED.has(program)) throw new Undecided();
  const rest = words.slice(1);
  if (SHELLS.has(program)) return shellScript(rest);
  switch (program) {
    case "env":
      return inner(rest, 0, /^-|=/);
    case "nice":
      return inner(rest, niceOptions(rest), /^-/);
    case "command":
      return commandBuiltin(rest);
    case "timeout":
      if (!/^[0-9]+(\.[0-9]+)?[smhd]?$/.test(literal(rest[0]))) throw new Undecided();
      return needed(inner(rest, 1, /^-/));
    case "find":
      if (rest.some((word) => word.kind !== "literal" || FIND_ACTIONS.test(word.text))) throw new Undecided();
      return { kind: "nothing" };
    case "test":
    case "[":
    case "printf":
    case "wait":
      // `-v` and `-p` take a variable's name, and bash runs substitutions inside its index.
      if (rest.some((word) => word.kind !== "literal" || /^-[vp]/.test(word.text))) throw new Undecided();
      // Comparisons that only bash's own `test` knows.
      if (program === "test" || program === "[") {
        if (rest.some((word) => word.kind === "literal" && /^(==|=~)$/.test(word.text)))
          throw new Undecided();
      }
      return { kind: "nothing" };
    default:
      return { kind: "nothing" };
  }
}

function inner(words: readonly ShellWord[], from: number, refused: RegExp): Inner {
  const rest = words.slice(from);
  if (rest.length === 0) return { kind: "nothing" };
  if (refused.test(literal(rest[0]))) throw new Undecided();
  return { kind: "command", words: rest };
}

function needed(found: Inner): Inner {
  if (found.kind === "nothing") throw new Undecided();
  return found;
}

function niceOptions(words: readonly ShellWord[]): number {
  if (words.length === 0) return 0;
  const first = literal(words[0]);
  if (first === "-n") return /^[+-]?[0-9]+$/.test(literal(words[1])) ? 2 : 0;
  return /^(-n|-|--adjustment=)[+-]?[0-9]+$/.test(first) ? 1 : 0;
}

function commandBuiltin(words: readonly ShellWord[]): Inner {
  if (words.length === 0) return { kind: "nothing" };
  const first = literal(words[0]);
  if (first === "-v" || first === "-V") return { kind: "nothing" };
  return inner(words, 0, /^-/);
}

function shellScript(words: readonly ShellWord[]): Inner {
  if (literal(words[0]) !== "-c") throw new Undecided();
  return { kind: "script", text: literal(words[1]) };
}

function literal(word: ShellWord | undefined): string {
  if (word?.kind !== "literal") throw new Undecided();
  return word.text;
}
