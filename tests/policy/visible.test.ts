import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visible, visibleAgain, visibleJson, visibleLine, visibleProse } from "../../src/policy/visible.ts";

const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
const anyText = fc.string({ unit: "binary", maxLength: 40 });
const hostile = fc
  .array(
    fc.constantFrom(
      "\\",
      "u{",
      "}",
      "202e",
      "\u202e",
      "a",
      "\u200b",
      "\u001b",
      "`",
      "\n",
      "\u{e0041}",
      "\\u{1b}",
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("a text that is made visible", () => {
  it("shows what is hidden as its escape", () => {
    expect(visible("a\u001b[2J\u202eb\u200bc\u{e0041}\u2028\u0085")).toBe(
      "a\\u{1b}[2J\\u{202e}b\\u{200b}c\\u{e0041}\\u{2028}\\u{85}",
    );
  });
  it("does not change a plain text", () => {
    for (const text of ["plain", "C:\\users\\a", "a {b} ``", "äöü 日本語 עברית"])
      expect(visible(text)).toBe(text);
  });
  it("has nothing hidden in it, whatever it was", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, hostile), (text) => {
        expect(HIDDEN.test(visible(text))).toBe(false);
        expect(HIDDEN.test(visibleLine(text))).toBe(false);
        expect(HIDDEN.test(visibleJson(JSON.stringify(text)))).toBe(false);
        expect(HIDDEN.test(visibleProse(text).replaceAll("\n", ""))).toBe(false);
      }),
    );
  });
  it("is told from every other text", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, hostile), (text) => {
        const back = visible(text).replace(
          /(\\*)u\{(?:([0-9a-f]+)\})?/g,
          (whole, slashes: string, hex?: string) => {
            if (slashes === "") return whole;
            const half = "\\".repeat(Math.floor(slashes.length / 2));
            return slashes.length % 2 === 0
              ? `${half}u{${hex === undefined ? "" : `${hex}}`}`
              : `${half}${String.fromCodePoint(parseInt(hex ?? "", 16))}`;
          },
        );
        expect(back).toBe(text);
      }),
    );
  });
  it("stays the same value where it is JSON", () => {
    fc.assert(fc.property(anyText, (text) => JSON.parse(visibleJson(JSON.stringify(text))) === text));
  });
});

describe("prose", () => {
  it("keeps its lines and its emoji, and shows what else is hidden", () => {
    expect(visibleProse("one\r\ntwo\t👩‍💻\u202e")).toBe("one\ntwo    👩‍💻\\u{202e}");
  });
  it("does not keep a joiner that joins no emoji", () => {
    expect(visibleProse("pay\u200dpal")).toBe("pay\\u{200d}pal");
  });
});

describe("words that were made visible", () => {
  it("are not escaped once more, and what is hidden in them is", () => {
    expect(visibleAgain(visibleLine("a\u202e"))).toBe("a\\u{202e}");
    expect(visibleAgain("a\\u{202e}\u202e")).toBe("a\\u{202e}\\u{202e}");
  });
});

describe("a line for people", () => {
  it("begins no block of Markdown", () => {
    expect(visibleLine("a\n```\nb")).toBe("a\\u{a}\\u{60}\\u{60}\\u{60}\\u{a}b");
    expect(visibleLine("~~~")).toBe("\\u{7e}\\u{7e}\\u{7e}");
  });
});
