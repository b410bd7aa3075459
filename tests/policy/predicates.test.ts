import { describe, expect, it } from "vitest";
import type { Rule } from "../../src/policy/index.ts";
import { truthOfWhen } from "./support.ts";

type Predicate = NonNullable<Rule["when"]>[string];

function truth(predicate: Predicate, value: unknown, path?: string | null): string {
  const facts = path === undefined ? {} : { paths: { note: path } };
  return truthOfWhen({ note: predicate }, value === undefined ? {} : { note: value }, facts);
}

describe("equals and in", () => {
  it("compares JSON deeply", () => {
    const value = { a: [1, { b: null }], c: "x" };
    expect(truth({ equals: value }, { c: "x", a: [1, { b: null }] })).toBe("true");
    expect(truth({ equals: value }, { c: "x", a: [1, { b: 0 }] })).toBe("false");
    expect(truth({ equals: value }, { ...value, d: 1 })).toBe("false");
    expect(truth({ equals: [1, 2] }, [2, 1])).toBe("false");
    expect(truth({ equals: null }, null)).toBe("true");
    expect(truth({ equals: null }, "x")).toBe("false");
    expect(truth({ in: ["a", "b"] }, "b")).toBe("true");
    expect(truth({ in: ["a", "b", 1] }, "c")).toBe("false");
  });
  it("does not judge a value of another type", () => {
    expect(truth({ equals: true }, "true")).toBe("unknown");
    expect(truth({ equals: 5 }, "5")).toBe("unknown");
    expect(truth({ equals: 5 }, NaN)).toBe("unknown");
    expect(truth({ equals: 5 }, 5n)).toBe("unknown");
    expect(truth({ equals: {} }, new Date(0))).toBe("unknown");
    expect(truth({ in: [1, 2] }, "1")).toBe("unknown");
  });
});

describe("numbers", () => {
  it("compares finite numbers", () => {
    expect(truth({ gt: 5 }, 6)).toBe("true");
    expect(truth({ gt: 5 }, 5)).toBe("false");
    expect(truth({ gte: 5 }, 5)).toBe("true");
    expect(truth({ lt: 5 }, 5)).toBe("false");
    expect(truth({ lte: 5, gte: 1 }, 3)).toBe("true");
    expect(truth({ lte: 5, gte: 1 }, 0)).toBe("false");
  });
  it("does not judge what is no finite number", () => {
    for (const value of [NaN, Infinity, "6", 6n, null, [6], undefined])
      expect(truth({ gt: 5 }, value)).toBe("unknown");
  });
});

describe("regex", () => {
  it("wants the whole text to match", () => {
    expect(truth({ regex: "a+b" }, "aab")).toBe("true");
    expect(truth({ regex: "a+b" }, "xaab")).toBe("false");
    expect(truth({ regex: ["x", "a+b"] }, "aab")).toBe("true");
    expect(truth({ regex: "(?i)ABC" }, "abc")).toBe("true");
  });
  it("does not let a line break decide", () => {
    expect(truth({ regex: "git .*" }, "git status\nrm x")).toBe("unknown");
    expect(truth({ regex: ".*secret.*" }, "a\nsecret")).toBe("unknown");
    expect(truth({ regex: "(?s).*secret.*" }, "a\nsecret")).toBe("true");
    expect(truth({ regex: "a\nb" }, "a\nb")).toBe("true");
  });
  it("does not judge what is no text or too long", () => {
    for (const value of [5, null, ["a"], {}, undefined])
      expect(truth({ regex: ".*" }, value)).toBe("unknown");
    expect(truth({ regex: ".*" }, "a".repeat(100_000))).toBe("unknown");
  });
});

describe("glob", () => {
  it("matches the whole text, dot files too", () => {
    expect(truth({ glob: "**/.env*" }, ".env")).toBe("true");
    expect(truth({ glob: "**/.env*" }, "a/b/.env.local")).toBe("true");
    expect(truth({ glob: "**/.env*" }, "a/env")).toBe("false");
    expect(truth({ glob: "*.txt" }, ".hidden.txt")).toBe("true");
    expect(truth({ glob: "*.txt" }, "a/b.txt")).toBe("false");
    expect(truth({ glob: ["*.md", "*.txt"] }, "b.txt")).toBe("true");
    expect(truth({ glob: "a/**" }, "a/b/c")).toBe("true");
    expect(truth({ glob: "a/**" }, "a")).toBe("true");
    expect(truth({ glob: "a/**" }, "ab")).toBe("false");
  });
  it("takes a path only where it matches as written and as resolved", () => {
    expect(truth({ glob: "notes/**" }, "notes/a", "notes/a")).toBe("true");
    expect(truth({ glob: "notes/**" }, "other/a", "other/a")).toBe("false");
    expect(truth({ glob: "notes/**" }, "notes/link", "secret/a")).toBe("unknown");
    expect(truth({ glob: "**/.env" }, "notes/link", ".env")).toBe("unknown");
    expect(truth({ glob: "notes/**" }, "notes/link", null)).toBe("unknown");
  });
  it("is not fooled by dots when nothing was looked up", () => {
    expect(truth({ glob: "notes/**" }, "notes/../.env")).toBe("unknown");
    expect(truth({ glob: "notes/**" }, "notes/./a")).toBe("true");
    expect(truth({ glob: "notes/**" }, "../notes/a")).toBe("unknown");
  });
});

describe("within", () => {
  it("reads the looked-up path, not the text", () => {
    expect(truth({ within: "scratch/" }, "anything", "scratch/a/b")).toBe("true");
    expect(truth({ within: "scratch" }, "scratch", "scratch")).toBe("true");
    expect(truth({ within: "./scratch/" }, "scratch/a", "scratchy/a")).toBe("false");
    expect(truth({ within: "scratch" }, "scratch/link", "etc/passwd")).toBe("false");
    expect(truth({ within: "." }, "a", "a")).toBe("true");
    expect(truth({ within: ["x", "scratch"] }, "a", "scratch/a")).toBe("true");
  });
  it("is false outside the workspace and unknown without the fact", () => {
    expect(truth({ within: "scratch" }, "/etc/passwd", null)).toBe("false");
    expect(truth({ within: "scratch" }, "scratch/a")).toBe("unknown");
    expect(truth({ within: "scratch" }, 5, "scratch/a")).toBe("unknown");
  });
  it("does not trust a fact that is not normalised", () => {
    expect(truth({ within: "scratch" }, "a", "scratch/../x")).toBe("unknown");
    expect(truth({ within: "scratch" }, "a", "/scratch/x")).toBe("unknown");
  });
});

describe("host", () => {
  it.each([
    "http://169.254.169.254/",
    "http://169.254.169.254./",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[::FFFF:A9FE:A9FE]:80/",
    "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0xa9.0xfe.0xa9.0xfe/",
    "http://0251.0376.0251.0376/",
    "http://169.254.43518/",
  ])("reads an IPv4 address however it is written: %s", (url) => {
    expect(truth({ host: "169.254.169.254" }, url)).toBe("true");
  });
  it("compares the host that would be fetched", () => {
    expect(truth({ host: "example.com" }, "https://example.com/a?b#c")).toBe("true");
    expect(truth({ host: "example.com" }, "http://EXAMPLE.com:8080/")).toBe("true");
    expect(truth({ host: "example.com" }, "https://example.com./")).toBe("true");
    expect(truth({ host: "example.com" }, "https://example.com.evil.org/")).toBe("false");
    expect(truth({ host: "example.com" }, "https://www.example.com/")).toBe("false");
    expect(truth({ host: "*.example.com" }, "https://a.b.example.com/")).toBe("true");
    expect(truth({ host: "*.example.com" }, "https://example.com/")).toBe("false");
    expect(truth({ host: "*.example.com" }, "https://badexample.com/")).toBe("false");
    expect(truth({ host: "münchen.example" }, "https://xn--mnchen-3ya.example/")).toBe("true");
    expect(truth({ host: "127.0.0.1" }, "http://0x7f.1/")).toBe("true");
    expect(truth({ host: "[::1]" }, "http://[0:0::1]/")).toBe("true");
    expect(truth({ host: "[::ffff:127.0.0.1]" }, "http://127.0.0.1/")).toBe("true");
    expect(truth({ host: "169.254.169.254" }, "http://[::fffe:a9fe:a9fe]/")).toBe("false");
    expect(truth({ host: "169.254.169.254" }, "http://169.254.169.253/")).toBe("false");
    expect(truth({ host: "localhost:8080" }, "http://localhost:8080/")).toBe("true");
    expect(truth({ host: "localhost:8080" }, "http://localhost:9090/")).toBe("false");
    expect(truth({ host: "example.com:443" }, "https://example.com/")).toBe("true");
  });
  it.each([
    "https://example.com@evil.org/",
    "https://evil.org\\@example.com/",
    "https://evil.org%2f@example.com/",
    "https:///example.com/",
    "https:example.com",
    "//example.com/",
    "example.com",
    "ftp://example.com/",
    "javascript:alert(1)",
    "https://example.com\t.evil.org/",
    " https://example.com/",
    "https://exam%70le.com/",
    "https://",
    "",
  ])("does not judge %j", (url) => {
    expect(truth({ host: "example.com" }, url)).toBe("unknown");
  });
});

describe("exists", () => {
  it("is certain for a declared field", () => {
    expect(truth({ exists: true }, "x")).toBe("true");
    expect(truth({ exists: true }, undefined)).toBe("false");
    expect(truth({ exists: false }, undefined)).toBe("true");
    expect(truth({ exists: false }, null)).toBe("false");
    expect(truthOfWhen({ "tags.a": { exists: true } }, { tags: {} })).toBe("false");
    expect(truthOfWhen({ "tags.a": { exists: true } }, { tags: "text" })).toBe("false");
  });
  it("is not certain when the schema is not known", () => {
    const tool = { name: "refund" };
    expect(truthOfWhen({ note: { exists: true } }, {}, { tool })).toBe("unknown");
    expect(truthOfWhen({ note: { exists: true } }, { note: 1 }, { tool })).toBe("true");
  });
});

describe("fields", () => {
  it("reads dot paths through objects and lists", () => {
    expect(truthOfWhen({ "tags.a.0": { equals: 1 } }, { tags: { a: [1] } })).toBe("true");
    expect(truthOfWhen({ "tags.length": { equals: 1 } }, { tags: [1] })).toBe("unknown");
  });
  it("is false for a field that the tool does not declare", () => {
    expect(truthOfWhen({ path: { glob: "**" } }, {})).toBe("false");
    expect(truthOfWhen({ path: { glob: "**" } }, { path: "x" })).toBe("false");
    expect(truthOfWhen({ path: { not: { glob: "x" } } }, {})).toBe("false");
    expect(truthOfWhen({ not: { path: { glob: "x" } } }, {})).toBe("true");
  });
  it("lets an undeclared argument that reaches the tool hold a call back, never let it pass", () => {
    const args = { dry_run: true };
    expect(truthOfWhen({ dry_run: { equals: true } }, {}, { args })).toBe("unknown");
    expect(truthOfWhen({ dry_run: { equals: false } }, {}, { args })).toBe("false");
  });
  it("is unknown for a declared field that is absent", () => {
    expect(truth({ equals: "x" }, undefined)).toBe("unknown");
    expect(truth({ not: { equals: "x" } }, undefined)).toBe("unknown");
    expect(truthOfWhen({ note: { equals: "x" } }, {}, { tool: { name: "refund" } })).toBe("unknown");
  });
  it("reads the arguments after the schema's defaults when they are given", () => {
    expect(truthOfWhen({ note: { equals: "x" } }, {}, { args: { note: "x" } })).toBe("true");
  });
  it("reads own data properties only", () => {
    for (const path of ["note.constructor", "note.toString", "note.__proto__"]) {
      expect(truthOfWhen({ [path]: { exists: true } }, { note: {} })).toBe("false");
    }
    let called = false;
    const args = {
      get note() {
        called = true;
        return "x";
      },
    };
    expect(truthOfWhen({ note: { equals: "x" } }, args)).toBe("unknown");
    expect(called).toBe(false);
  });
});

describe("not, all, any", () => {
  it("combine predicates of one argument", () => {
    expect(truth({ not: { gt: 5 } }, 3)).toBe("true");
    expect(truth({ not: { gt: 5 } }, "3")).toBe("unknown");
    expect(truth({ any: [{ lt: 1 }, { gt: 5 }] }, 9)).toBe("true");
    expect(truth({ any: [{ lt: 1 }, { gt: 5 }] }, 3)).toBe("false");
    expect(truth({ all: [{ gt: 1 }, { not: { equals: 3 } }] }, 3)).toBe("false");
    expect(truth({ any: [{ equals: "x" }, { gt: 5 }] }, "x")).toBe("true");
    expect(truth({ all: [{ equals: "x" }, { gt: 5 }] }, "x")).toBe("unknown");
  });
  it("combine tests of several arguments", () => {
    const args = { amount: 9, note: "x" };
    expect(truthOfWhen({ amount: { gt: 5 }, note: { equals: "x" } }, args)).toBe("true");
    expect(truthOfWhen({ amount: { gt: 5 }, note: { equals: "y" } }, args)).toBe("false");
    expect(truthOfWhen({ any: [{ amount: { gt: 50 } }, { note: { equals: "x" } }] }, args)).toBe("true");
    expect(truthOfWhen({ all: [{ amount: { gt: 50 } }, { note: { equals: "x" } }] }, args)).toBe("false");
    expect(truthOfWhen({ not: { amount: { gt: 50 } } }, args)).toBe("true");
    expect(truthOfWhen({ not: { order: { equals: "x" } } }, args)).toBe("unknown");
  });
});
