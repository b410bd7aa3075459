import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { matchShell, parseShellPattern } from "../../src/policy/shell-pattern.ts";

const shells = ["/bin/bash", "/bin/dash"].filter((shell) => existsSync(shell));
const anything = [parseShellPattern("*")];
const harmless = ["echo *", "true", "cat *", "test *"].map(parseShellPattern);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dialects-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The names in a folder that held `notes` alone, after a shell has run the line there. */
function filesAfter(shell: string, line: string): string[] {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "notes"), "");
  spawnSync(shell, ["-c", line], { cwd: folder, env: { PATH: "/usr/bin:/bin" }, timeout: 10_000 });
  return readdirSync(folder);
}

const DIFFERENT = [
  "echo a &>/dev/null rm -rf notes",
  "echo a &>>/dev/null rm -rf notes",
  "echo a &>| /dev/null rm notes",
  "echo a >&/dev/null",
  "echo a <&/dev/null",
  "echo a >&10",
  "echo a 10>/dev/null",
  "echo a {fd}>/dev/null",
  "cat <>/dev/null",
  "cat <<<a",
  "echo a |& cat",
  "cat <(echo a)",
  "echo >(cat)",
  "((1))",
  "echo $((1))",
  "echo $[1]",
  'echo "$[1]"',
  "[[ a ]]",
  "[[ a || rm notes ]]",
  "echo $'a'",
  'echo $"a"',
  "echo {a,b}",
  "echo {1..3}",
  "echo a{b",
  "echo {a,$(echo b)}",
  "echo ~+",
  "echo ~-/a",
  "echo ~root",
  "echo a=~/b",
  "function f { echo a; }",
  "coproc echo a",
  "select x in a; do echo a; done",
  "for ((;;)); do echo a; done",
  "case a in a) echo a;& esac",
  "case a in a) echo a;;& esac",
  "time echo a",
  "! ! true",
  "!",
  "a=(1 2)",
  "a+=1 echo b",
  "a[0]=1 echo b",
  "echo ${a[0]}",
  "echo ${!a}",
  "echo ${ echo a; }",
  "echo @(a|b)",
  "test a == b",
  "[ a =~ b ]",
  "echo $\\\n(echo a)",
  "echo a &\\\n>/dev/null rm notes",
  "ec\\\nho a",
  "echo $(echo a # )\n)",
  "cat <<A <<B\na\nA\nb\nB",
  "cat <<A 'b\nA\nrm notes\n'\nA",
  "echo `echo 'a'`",
  ">/dev/null if true; then echo a; fi",
];

const ALIKE = [
  "echo a >/dev/null",
  "echo a >>/dev/null 2>&1",
  "echo a >| /dev/null",
  "cat </dev/null 2>&-",
  "echo a 2>/dev/null 1>&2",
  "echo 'a &>/dev/null rm notes' \"|& {a,b} ~+\"",
  "echo a & echo b",
  "echo a | cat && ! true || echo {} '~+' \\~+",
  "(echo a; { echo b; }) >/dev/null",
  "if true; then echo a; else echo b; fi",
  "cat <<'A' | cat\n{a,b} $'c' &>notes2\nA",
  "cat <<A\n$(echo {}) {a,b}\nA",
  'echo "$(echo "a b")" `echo c` a$ "b$"',
  "echo a \\\n b # > notes2",
  "test a = b || echo c",
];

describe("a line that bash and a plain sh read differently", () => {
  it.each(DIFFERENT)("is unknown, whatever the patterns: %j", (line) => {
    expect(matchShell(anything, line)).toBe("unknown");
    expect(matchShell(anything, `echo a; ${line}`)).toBe("unknown");
    expect(matchShell(anything, `sh -c '${line.replaceAll("'", "'\\''")}'`)).toBe("unknown");
  });

  const hasDash = existsSync("/bin/dash");
  const title = `would delete a file in one of them${hasDash ? "" : " (skipped: there is no /bin/dash here)"}`;
  it.skipIf(!hasDash)(title, () => {
    expect(filesAfter("/bin/dash", "echo a &>/dev/null rm -rf notes")).toEqual([]);
    expect(filesAfter("/bin/bash", "echo a &>/dev/null rm -rf notes")).toEqual(["notes"]);
  });
});

describe("a line that every shell reads alike", () => {
  it.each(ALIKE)("is judged: %j", (line) => {
    expect(matchShell(harmless, line)).toBe("true");
  });
});

describe("a line judged harmless", () => {
  // Every line of two pieces from this alphabet with a dangerous tail: what passes is really run.
  const joints =
    "; & && || | |& &> &>> >& > >> >| < <> <<< <( >( ( (( ) { } {a, $( ` ! # \\ ' \" $ 2> 10> >&2 ;& \\\n $'".split(
      " ",
    );
  const generated = joints.flatMap((one) =>
    ["", " ", "/dev/null ", "&1 ", ...joints.slice(0, 12)].flatMap((two) => [
      `echo a ${one}${two}rm notes`,
      `echo a ${one} ${two} /dev/null rm notes`,
      `echo a${one}/dev/null ${two} echo > notes2`,
    ]),
  );
  const passed = [...DIFFERENT, ...ALIKE, ...generated].filter(
    (line) => matchShell(harmless, line) === "true",
  );

  it.each(shells)(
    "makes no file and removes none in %s",
    (shell) => {
      expect(passed.length).toBeGreaterThan(ALIKE.length);
      for (const line of passed) expect([line, filesAfter(shell, line)]).toEqual([line, ["notes"]]);
    },
    60_000,
  );
});
