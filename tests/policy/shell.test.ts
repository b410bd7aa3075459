import { describe, expect, it } from "vitest";
import { truthOfWhen } from "./support.ts";

const PATTERNS = ["ls *", "cat *", "grep *", "git status", "git log *", "echo *", "true"];
const WRAPPERS = [...PATTERNS, "env *", "nice *", "timeout *", "command *", "sh -c *", "bash -c *"];

function shell(line: unknown, patterns: string[] = PATTERNS): string {
  return truthOfWhen({ note: { shell: patterns } }, { note: line });
}

function table(rows: [line: string, truth: string][], patterns?: string[]): void {
  it.each(rows)("%j is %s", (line, truth) => {
    expect(shell(line, patterns)).toBe(truth);
  });
}

describe("one command", () => {
  table([
    ["ls", "true"],
    ["ls -la src", "true"],
    ["  ls\t-la  ", "true"],
    ["git status", "true"],
    ["git status --short", "false"],
    ["git -c core.pager=x status", "false"],
    ["git", "false"],
    ["rm x", "false"],
    ["lsof", "false"],
    ["/bin/ls", "false"],
    ["./ls", "false"],
    ["LS", "false"],
  ]);
});

describe("operators: every command must match", () => {
  table([
    ["ls; cat x", "true"],
    ["ls; rm x", "false"],
    ["ls && git status", "true"],
    ["ls && rm x", "false"],
    ["ls || cat x", "true"],
    ["ls || rm x", "false"],
    ["ls | cat", "true"],
    ["ls | rm", "false"],
    ["ls |& rm", "unknown"],
    ["ls & cat x", "true"],
    ["ls & rm x", "false"],
    ["ls\ncat x", "true"],
    ["ls\nrm x", "false"],
    ["ls;rm", "false"],
    ["ls&&rm", "false"],
    ["! ls", "true"],
    ["! rm x", "false"],
    ["(ls; cat x)", "true"],
    ["(ls; rm x)", "false"],
    ["{ ls; cat x; }", "true"],
    ["{ ls; rm x; }", "false"],
    ["if true; then ls; else cat x; fi", "true"],
    ["if true; then ls; elif rm x; then ls; fi", "false"],
    ["while true; do rm x; done", "false"],
    ["ls &", "true"],
  ]);
});

describe("substitutions run too", () => {
  table([
    ["ls $(cat x)", "true"],
    ["ls $(rm x)", "false"],
    ["ls `cat x`", "true"],
    ["ls `rm x`", "false"],
    ['ls "$(rm x)"', "false"],
    ['echo "a `rm x` b"', "false"],
    ["ls $(cat $(rm x))", "false"],
    ["ls '$(rm x)'", "true"],
    ["ls '`rm x`'", "true"],
    ["ls \\$(rm x)", "unknown"],
    ["ls `cat \\`rm x\\``", "unknown"],
    ["$(cat x)", "unknown"],
    ["`cat x`", "unknown"],
    ["git $(echo status)", "unknown"],
    ["git $(echo status) $(rm x)", "false"],
    ["ls <(cat x)", "unknown"],
    ["ls <(rm x)", "unknown"],
    ["ls >(rm x)", "unknown"],
    ["ls $(<x)", "unknown"],
    ["ls $((1 + 1))", "unknown"],
    ["ls $((1 + $(rm x)))", "unknown"],
  ]);
});

describe("here-documents", () => {
  table([
    ["cat <<EOF\nhello; rm x\nEOF", "true"],
    ["cat <<EOF\nhello\nEOF\nls", "true"],
    ["cat <<EOF\nhello\nEOF\nrm x", "false"],
    ["cat <<EOF\n$(rm x)\nEOF", "false"],
    ["cat <<EOF\n`rm x`\nEOF", "false"],
    ["cat <<EOF\n$(ls)\nEOF", "true"],
    ["cat <<EOF\n$HOME\nEOF", "unknown"],
    ["cat <<'EOF'\n$(rm x) `rm y` $HOME\nEOF", "true"],
    ['cat <<"EOF"\n$(rm x)\nEOF', "true"],
    ["cat <<-EOF\n\thello\n\tEOF", "true"],
    ["cat <<EOF; rm x\nhello\nEOF", "false"],
    ["rm <<EOF\nhello\nEOF", "false"],
    ["cat <<EOF\nnever closed", "unknown"],
    ["cat <<EOF\nhello\\\nEOF\nrm x\nEOF", "unknown"],
    ["cat <<E\\OF\nhello\nEOF", "unknown"],
    ["cat <<< hello", "unknown"],
    ['cat <<< "$(rm x)"', "unknown"],
  ]);
});

describe("redirections", () => {
  table([
    ["ls 2>&1", "true"],
    ["ls >/dev/null 2>&1", "true"],
    ["ls &>/dev/null", "unknown"],
    ["cat </dev/null", "true"],
    ["ls 2>&-", "true"],
    ["ls > out.txt", "unknown"],
    ["ls >> out.txt", "unknown"],
    ["ls >| out.txt", "unknown"],
    ["ls 2> err.txt", "unknown"],
    ["ls &> out.txt", "unknown"],
    ["ls >& out.txt", "unknown"],
    ["cat < secrets.txt", "unknown"],
    ["cat <> file", "unknown"],
    ["ls > /dev/tcp/example.com/80", "unknown"],
    ["ls > /dev/null.txt", "unknown"],
    ["ls > $OUT", "unknown"],
    ["ls > $(echo /dev/null)", "unknown"],
    ["{ ls; } > out.txt", "unknown"],
    ["(ls) >/dev/null", "true"],
    ["> out.txt", "unknown"],
    ["ls {fd}>/dev/null", "unknown"],
  ]);
});

describe("assignments and variables", () => {
  table([
    ["GIT_PAGER=x git status", "unknown"],
    ["PATH=/tmp:$PATH ls", "unknown"],
    ["A=1", "unknown"],
    ["A=1; ls", "unknown"],
    ["export A=1", "unknown"],
    ["ls A=1", "true"],
    ["ls $HOME", "unknown"],
    ['ls "$HOME"', "unknown"],
    ["ls ${X:-$(rm y)}", "unknown"],
    ["ls ${X@P}", "unknown"],
    ["$X", "unknown"],
    ["for f in a b; do ls; done", "unknown"],
  ]);
});

describe("wrappers must match, and what they run too", () => {
  table(
    [
      ["env ls", "true"],
      ["env rm x", "false"],
      ["env A=1 ls", "unknown"],
      ["env -S 'rm x'", "unknown"],
      ["env -i ls", "unknown"],
      ["env", "true"],
      ["timeout 5 ls", "true"],
      ["timeout 5s rm x", "false"],
      ["timeout -k 1 5 ls", "unknown"],
      ["timeout $(echo 5) ls", "unknown"],
      ["nice ls", "true"],
      ["nice -n 5 ls", "true"],
      ["nice -n 5 rm x", "false"],
      ["nice -5 rm x", "false"],
      ["nice --adjustment=5 rm x", "false"],
      ["command ls", "true"],
      ["command rm x", "false"],
      ["command -v rm", "true"],
      ["sh -c 'ls; cat x'", "true"],
      ["sh -c 'ls; rm x'", "false"],
      ['bash -c "ls $(rm x)"', "unknown"],
      ["sh -c 'sh -c \"rm x\"'", "false"],
      ['sh -c "$X"', "unknown"],
      ["sh -ec ls", "unknown"],
      ["sh script.sh", "unknown"],
      ["echo 'rm x' | sh", "unknown"],
      ["env nice timeout 5 sh -c 'rm x'", "false"],
      ["env nice timeout 5 sh -c 'ls'", "true"],
      ["/usr/bin/env rm x", "false"],
      ["env sudo ls", "unknown"],
    ],
    WRAPPERS,
  );
  table([
    ["env ls", "false"],
    ["timeout 5 ls", "false"],
    ["sh -c ls", "false"],
  ]);
});

describe("never decided, whatever the patterns say", () => {
  table(
    [
      ["sudo ls", "unknown"],
      ["/usr/bin/sudo ls", "unknown"],
      ["s''udo ls", "unknown"],
      ["\\sudo ls", "unknown"],
      ["ls | xargs rm", "unknown"],
      ["eval ls", "unknown"],
      ["exec ls", "unknown"],
      ["source x", "unknown"],
      [". x", "unknown"],
      ["trap 'rm x' EXIT", "unknown"],
      ["alias ls=rm", "unknown"],
      ["find . -name x", "true"],
      ["find . -exec rm {} +", "unknown"],
      ["find . -delete", "unknown"],
      ["f() { rm x; }; f", "unknown"],
      ["function ls { rm x; }; ls", "unknown"],
      ["coproc ls", "unknown"],
      ["[[ -f x ]]", "unknown"],
      ["((x = 1))", "unknown"],
      ["case x in x) rm y;; esac", "unknown"],
      ["time ls", "unknown"],
      ["test -v 'a[$(rm x)]'", "unknown"],
      ["printf -v 'a[$(rm x)]' y", "unknown"],
      ["read 'a[$(rm x)]'", "unknown"],
      ["declare -i x", "unknown"],
      ["builtin eval ls", "unknown"],
      ["hash -p /tmp/x ls", "unknown"],
    ],
    ["*"],
  );
});
