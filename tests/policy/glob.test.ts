import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { compileGlob, compileNameGlob } from "../../src/policy/glob.ts";

const segment = fc.constantFrom(
  "a",
  "b",
  "*",
  "?",
  "a*",
  "*b",
  ".env*",
  "{a,b}",
  "{a*,.env}",
  "[ab]",
  "[^a]b",
  "**",
);
const globs = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  // Libraries differ on whether `*/**` is a single segment too; here it is, as `a/**` is `a` everywhere.
  .filter((parts) => parts.at(-1) !== "**" || !/[*?\]}]$/.test(parts.at(-2) ?? ""))
  .map((parts) => parts.join("/"));
const paths = fc
  .array(fc.constantFrom("a", "b", "ab", ".env", ".env.x", "c"), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"));

describe("a glob", () => {
  it("matches what picomatch matches, in linear time", () => {
    fc.assert(
      fc.property(globs, paths, (glob, path) => {
        expect(compileGlob(glob)(path)).toBe(String(picomatch(glob, { dot: true })(path)));
      }),
      { numRuns: 2_000 },
    );
  });
  it("does not slow down on a pattern that makes backtracking engines hang", () => {
    const glob = compileGlob(`${"*a".repeat(30)}b`);
    const before = process.cpuUsage();
    expect(glob("a".repeat(4_000))).toBe("false");
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
  });
  it("takes a set for one character that is no slash, negated with ! or ^", () => {
    expect(compileGlob("[!a]b")("cb")).toBe("true");
    expect(compileGlob("[!a]b")("ab")).toBe("false");
    expect(compileGlob("[^a]b")("/b")).toBe("false");
    expect(compileGlob("x[a-c].[]]")("xb.]")).toBe("true");
  });
  it("takes a backslash as making the next character plain", () => {
    expect(compileGlob("a\\*")("a*")).toBe("true");
    expect(compileGlob("a\\*")("ab")).toBe("false");
    expect(compileGlob("(a)+$")("(a)+$")).toBe("true");
  });
  it("crosses anything in a tool's name", () => {
    expect(compileNameGlob("mcp/*")("mcp/a/b")).toBe("true");
    expect(compileNameGlob("read_?")("read_a")).toBe("true");
    expect(compileNameGlob("read_?")("read_ab")).toBe("false");
    expect(compileNameGlob("a.c")("abc")).toBe("false");
  });
});
