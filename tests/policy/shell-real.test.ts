import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { matchShell, parseShellPattern } from "../../src/policy/shell-pattern.ts";

const patterns = ["ls *", "cat *", "git status", "env *", "nice *", "timeout *", "sh -c *"].map(
  parseShellPattern,
);
const shells = ["/bin/sh", "/bin/bash", "/bin/dash"].filter((shell) => existsSync(shell));

let root: string;
let work: string;

/** Programs that write down how they were called instead of doing anything. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "shell-"));
  work = join(root, "work");
  mkdirSync(work);
  mkdirSync(join(root, "bin"));
  for (const name of ["ls", "cat", "git", "rm"]) {
    const file = join(root, "bin", name);
    writeFileSync(
      file,
      // One write for a line, since programs of a pipe write at the same time.
      `#!/bin/sh\ncall=${name}\nfor a; do call="$call <$a>"; done\necho "$call" >> "$CALLS"\necho rm x\n`,
    );
    chmodSync(file, 0o755);
  }
  for (const name of ["env", "nice", "timeout", "sh"]) {
    const found = ["/usr/bin", "/bin"].map((folder) => join(folder, name)).find((path) => existsSync(path));
    if (found !== undefined) symlinkSync(found, join(root, "bin", name));
  }
});

afterAll(() => rmSync(root, { recursive: true }));

/** The programs that a shell really started for a line, and the files the line left behind. */
function run(shell: string, line: string): { calls: string[]; files: string[] } {
  const record = join(root, "calls");
  writeFileSync(record, "");
  const env = { PATH: join(root, "bin"), CALLS: record, HOME: work };
  spawnSync(shell, ["-c", line], { cwd: work, env, timeout: 10_000 });
  return { calls: readFileSync(record, "utf8").split("\n").filter(Boolean), files: readdirSync(work) };
}

const lines = [
  "ls a; cat b && git status || ls",
  "ls | cat & ls",
  'ls $(cat x) `ls` "$(cat "y z")"',
  "ls 'a; rm x' \"b | rm y\" c\\;rm",
  "ls '$(rm x)' \"\\$(rm x)\" '`rm x`'",
  "cat <<'EOF'\n$(rm x) `rm y`\nEOF\nls",
  "cat <<EOF\nrm x; $(ls)\nEOF\nls",
  "cat <<-EOF\n\trm x\n\tEOF\nls",
  "ls # ; rm x\ncat",
  "ls \\\n rm x",
  "l's' \"rm\" x",
  "if ls; then cat; else git status; fi",
  "(ls; { cat; }) 2>&1 >/dev/null </dev/null",
  "ls >|/dev/null >>/dev/null 2>&1 2>&-",
  "ls {} *rm* ~/rm",
  "env nice -n 5 timeout 5 sh -c 'ls; cat \"rm x\"'",
  "! ls\ngit status",
];

describe("a line that is certain to match", () => {
  it.each(shells.flatMap((shell) => lines.map((line) => [shell, line] as const)))(
    "runs nothing but what it says in %s: %j",
    (shell, line) => {
      expect(matchShell(patterns, line)).toBe("true");
      const { calls, files } = run(shell, line);
      expect(calls).not.toEqual([]);
      expect(calls.filter((call) => !/^(ls|cat)\b|^git <status>$/.test(call))).toEqual([]);
      expect(files).toEqual([]);
    },
  );
});

describe("a line that runs something else", () => {
  it.each([
    "ls; rm x",
    "ls $(rm x)",
    'ls "`rm x`"',
    "cat <<EOF\n$(rm x)\nEOF",
    "ls #\nrm x",
    "sh -c 'ls; rm x'",
    "env nice timeout 5 rm x",
    "ls | { cat; rm x; }",
    "$(cat)",
    "A=1 rm x",
    "eval 'rm x'",
    "r''m x",
    "f() { rm x; }; f",
  ])("is not taken for certain: %j", (line) => {
    expect(run("/bin/sh", line).calls.some((call) => call.startsWith("rm"))).toBe(true);
    expect(matchShell(patterns, line)).not.toBe("true");
  });
});
