import { describe, expect, it } from "vitest";
import { truthOfWhen } from "./support.ts";

const PATTERNS = ["ls *", "cat *", "grep *", "git status", "git log *", "echo *", "true"];

function shell(line: unknown, patterns: string[] = PATTERNS): string {
  return truthOfWhen({ note: { shell: patterns } }, { note: line });
}

function table(rows: [line: string, truth: string][], patterns?: string[]): void {
  it.each(rows)("%j is %s", (line, truth) => {
    expect(shell(line, patterns)).toBe(truth);
  });
}

describe("words and quotes", () => {
  table([
    ['grep "a;b" x', "true"],
    ["grep 'a && b' x", "true"],
    ['grep "a | b" x', "true"],
    ["grep a\\;b x", "true"],
    ["grep 'a\nb' x", "true"],
    ['"ls" -la', "true"],
    ["l's' x", "true"],
    ["'git' \"status\"", "true"],
    ["git 'status x'", "false"],
    ["ls *.txt", "true"],
    ["ls ?(a|b)", "unknown"],
    ["ls {a,b}", "unknown"],
    ["ls {a,$(rm x)}", "unknown"],
    ["{ls,rm} x", "unknown"],
    ["git st*", "unknown"],
    ["git {status,x}", "unknown"],
    ["ls ~/x", "true"],
    ["~/ls", "unknown"],
    ["ls $'a\\'; rm x; \\''", "unknown"],
    ['ls $"x"', "unknown"],
    ["ls \\\n-la", "true"],
    ["l\\\ns", "unknown"],
    ["ls \\\n; rm x", "false"],
    ["ls # ; rm x", "true"],
    ["ls # comment\nrm x", "false"],
    ["ls x#y", "true"],
  ]);
});

describe("lines that do not parse or look like something else", () => {
  table([
    ["", "unknown"],
    ["   ", "unknown"],
    ["# only a comment", "unknown"],
    ["echo 'never closed", "unknown"],
    ['echo "never closed', "unknown"],
    ["echo $(ls", "unknown"],
    ["echo `ls", "unknown"],
    ["ls;; cat", "unknown"],
    ["ls |", "unknown"],
    ["(ls", "unknown"],
    ["ls )", "unknown"],
    ["ls \\", "unknown"],
    ["ls \u0000; rm x", "unknown"],
    ["ls\r\nrm x", "unknown"],
    ["ls \u001b[2K", "unknown"],
    ["ls\u00a0x", "unknown"],
    ["ls \u202e x", "unknown"],
    ["ls é 文件", "true"],
  ]);
  it("does not judge what is no text", () => {
    for (const value of [undefined, null, 5, ["ls"], { command: "ls" }, true])
      expect(shell(value)).toBe("unknown");
  });
  it("does not judge lines longer than its bound, deep nesting, or thousands of commands", () => {
    expect(shell(`ls ${"a".repeat(10_000)}`)).toBe("unknown");
    expect(shell(`${"ls $(".repeat(200)}ls${")".repeat(200)}`)).toBe("unknown");
    expect(shell("ls;".repeat(1_000))).toBe("unknown");
  });
});

describe("patterns", () => {
  it("takes `*` in the middle for exactly one word", () => {
    const patterns = ["git * --oneline"];
    expect(shell("git log --oneline", patterns)).toBe("true");
    expect(shell("git --oneline", patterns)).toBe("false");
    expect(shell("git log -3 --oneline", patterns)).toBe("false");
    expect(shell('git "$(git log --oneline)" --oneline', patterns)).toBe("true");
    expect(shell("git $(git log --oneline) --oneline", patterns)).toBe("unknown");
  });
  it("takes a quoted star for the character", () => {
    expect(shell("echo '*'", ["echo '*'"])).toBe("true");
    expect(shell("echo x", ["echo '*'"])).toBe("false");
    expect(shell("echo *", ["echo '*'"])).toBe("unknown");
  });
  it("compares words without their quotes", () => {
    expect(shell('git commit -m "two words"', ["git commit -m 'two words'"])).toBe("true");
    expect(shell("git commit -m two words", ["git commit -m 'two words'"])).toBe("false");
  });
  it("lets different commands of a line match different patterns", () => {
    expect(shell("git status | grep x", ["git status", "grep *"])).toBe("true");
    expect(shell("git status | grep x", ["git status"])).toBe("false");
  });
});
