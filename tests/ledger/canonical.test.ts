import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, digest, sha256 } from "../../src/ledger/index.ts";

describe("canonicalJson", () => {
  it("sorts keys by UTF-16 code units, as in the example of RFC 8785", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    const order = ["Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign"];
    const found = [...canonicalJson(value).matchAll(/":"([^"]+)"/g)].map(([, text]) => text);
    expect(found).toEqual([...order, "Emoji: Grinning Face", "Hebrew Letter Dalet With Dagesh"]);
  });

  it("writes numbers, texts and literals as in the example of RFC 8785", () => {
    const value = {
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it.each([
    [-0, "0"],
    [1e21, "1e+21"],
    [9007199254740994, "9007199254740994"],
    [5e-324, "5e-324"],
    ["\ud800", '"\\ud800"'],
    [{ "10": 1, "9": 2, a: 3 }, '{"10":1,"9":2,"a":3}'],
    [{ a: undefined, b: [undefined, () => 1], c: null }, '{"b":[null,null],"c":null}'],
    [new Array(2), "[null,null]"],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ])("writes %o as %s", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it("refuses what JSON cannot hold", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => canonicalJson(cycle)).toThrow(TypeError);
    expect(() => canonicalJson({ big: 1n })).toThrow(TypeError);
  });

  it("is JSON that reads back as the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it("does not depend on the order of keys", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(turned)).toBe(canonicalJson(value));
        expect(digest(turned)).toBe(digest(value));
      }),
    );
  });

  it("differs where values differ", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const isSame = JSON.stringify(a) === JSON.stringify(b);
        if (!isSame && canonicalJson(a) === canonicalJson(b)) expect(JSON.parse(canonicalJson(a))).toEqual(b);
      }),
    );
  });
});

describe("digest", () => {
  it("is the SHA-256 of the canonical text", () => {
    expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(digest({ b: 1, a: 2 })).toBe(`sha256:${sha256('{"a":2,"b":1}')}`);
  });
});
