import fc from "fast-check";
import { lintParts } from "../../src/policy/lint.ts";
import { describe, expect, it } from "vitest";
import {
  combine,
  definePolicy,
  evaluate,
  maskArgs,
  maskedPaths,
  masksOf,
  parseOverlay,
  PolicyError,
  restoreMasked,
  secretsIn,
} from "../../src/policy/index.ts";
import { TOOLS } from "./support.ts";

const ARGS = {
  url: "https://example.com",
  headers: { Authorization: "Bearer s3cret", accept: "json" },
  users: [
    { name: "ada", password: "pw-1" },
    { name: "bob", password: "pw-2" },
  ],
};

describe("a mask", () => {
  it.each([
    [["headers.authorization"], ["headers.Authorization"]],
    [["**.password"], ["users.0.password", "users.1.password"]],
    [["users.*.password"], ["users.0.password", "users.1.password"]],
    [["users.1.*"], ["users.1.name", "users.1.password"]],
    [["*"], ["url", "headers", "users"]],
    [["**"], ["url", "headers", "users"]],
    [["headers.**"], ["headers"]],
    [["**.users.**.name"], ["users.0.name", "users.1.name"]],
  ])("%j names %j", (masks, paths) => {
    expect(maskedPaths(masks, ARGS)).toEqual(paths);
  });
  it.each([[["password"]], [["authorization"]], [["url.*"]], [["**.host"]], [[]]])(
    "%j names nothing",
    (masks) => {
      expect(maskedPaths(masks, ARGS)).toEqual([]);
    },
  );
  it("names a key with a dot or a star in it by a backslash", () => {
    const args = { "a.b": { "*": 1, c: 2 } };
    expect(maskedPaths(["a\\.b.\\*"], args)).toEqual(["a\\.b.\\*"]);
    expect(maskArgs(["a\\.b.\\*"], args)).toEqual({ "a.b": { "*": "***", c: 2 } });
  });
  it("hides what it names, of any kind, and leaves the rest", () => {
    expect(maskArgs(["**.password", "headers"], ARGS)).toEqual({
      url: "https://example.com",
      headers: "***",
      users: [
        { name: "ada", password: "***" },
        { name: "bob", password: "***" },
      ],
    });
  });
  it("gathers the keys inside of what it hides, and not those that are names of members", () => {
    const password = { "my-secret-key-77": 1, user_name: "x", abc: { "9-9": { "k-99": true } } };
    expect(secretsIn(["password"], { password, "other-key-77": 1 })).toEqual(["my-secret-key-77", "k-99"]);
    expect(secretsIn(["password"], { password: [["abcd"], 1] })).toEqual(["abcd"]);
  });

  it("gathers the texts that it hides, and not those too short to be told from others", () => {
    const args = { password: { a: "pw-1", pin: 123456, short: "abc", flag: true }, url: "x" };
    expect(secretsIn(["**.password"], args)).toEqual(["pw-1", "123456"]);
  });
  it("does not take long over many stars and deep arguments", () => {
    let deep: Record<string, unknown> = { x: 1 };
    for (let level = 0; level < 200; level += 1) deep = { a: deep, b: level };
    const begin = performance.now();
    expect(maskedPaths(["**.a.**.a.**.a.**.a.**.a.**.z"], deep)).toEqual([]);
    expect(performance.now() - begin).toBeLessThan(500);
  });
});

describe("masks of a policy", () => {
  const base = definePolicy({ version: 1, mask: ["**.authorization"] });

  it("are those of the policy and of its overlays", () => {
    const overlay = parseOverlay({ mask: ["**.password"] });
    expect(masksOf(combine(base, overlay))).toEqual(["**.authorization", "**.password"]);
    expect(masksOf(base, [overlay])).toEqual(["**.authorization", "**.password"]);
    expect(masksOf(definePolicy({ version: 1 }))).toEqual([]);
  });
  it("do not change a verdict", () => {
    const call = { name: "http_request", args: { url: "x", headers: {} } };
    expect(evaluate(base, call)).toEqual(evaluate(definePolicy({ version: 1 }), call));
  });
  it.each(["", ".", "a.", ".a", "a..b", "a*", "***", "a.**b", "a\\"])("refuses %j", (mask) => {
    expect(() => definePolicy({ version: 1, mask: [mask] })).toThrow(PolicyError);
  });
  it("refuses an empty list, and says what a path looks like", () => {
    expect(() => definePolicy({ version: 1, mask: [] })).toThrow(/mask: must not be an empty list/);
    expect(() => definePolicy({ version: 1, mask: ["a..b"] })).toThrow(/mask\[0\]: "a\.\.b" is no path/);
  });
  it("finds a mask that no tool has an argument for", () => {
    const find = (...mask: string[]) =>
      lintParts(definePolicy({ version: 1, mask }), TOOLS).map(({ message }) => message);
    expect(find("header.authorization")).toEqual([
      '"header.authorization" hides nothing: no tool has the argument "header"; did you mean "headers"?',
    ]);
    expect(find("Headers.authorization", "**.password", "*.token")).toEqual([]);
    expect(() => definePolicy({ version: 1, mask: ["passwort"] }, { tools: TOOLS })).toThrow(/hides nothing/);
  });
  it("does not look for arguments of tools whose schema is not known", () => {
    expect(lintParts(definePolicy({ version: 1, mask: ["passwort"] }), [{ name: "x" }])).toEqual([]);
  });
});

describe("an edit of masked arguments", () => {
  const masks = ["**.password", "headers.authorization"];
  const shown = maskArgs(masks, ARGS);

  it("that leaves the masks keeps the stored values", () => {
    expect(restoreMasked(masks, { ...shown, url: "https://other" }, ARGS)).toEqual({
      ok: true,
      args: { ...ARGS, url: "https://other" },
    });
  });
  it("replaces a value, leaves one out, and takes *** elsewhere as a text", () => {
    const edited = { url: "***", headers: { Authorization: "new" }, users: shown.users };
    const args = { url: "***", headers: { Authorization: "new" }, users: ARGS.users };
    expect(restoreMasked(masks, edited, ARGS)).toEqual({ ok: true, args });
  });
  it.each<[string, Record<string, unknown>, string[]]>([
    ["where nothing is stored", { password: "***" }, ["password"]],
    ["inside a new value", { headers: { authorization: { a: "***" } } }, ["headers.authorization.a"]],
    ["in a list that is shorter", { users: [shown.users[1]] }, ["users.0.password"]],
    [
      "in a list in another order",
      { users: [...shown.users].reverse() },
      ["users.0.password", "users.1.password"],
    ],
  ])("refuses a mask %s", (_where, edited, paths) => {
    expect(restoreMasked(masks, edited, ARGS)).toEqual({ ok: false, paths });
  });
});

const anyArgs = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 5 });
const anyMask = fc
  .array(fc.constantFrom("*", "**", "a", "b", "secret"), { minLength: 1, maxLength: 4 })
  .map((steps) => steps.join("."));
const named = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "Secret", "1"), tie("value"), { maxKeys: 3 }),
  ),
})).value;
const namedArgs = fc.dictionary(fc.constantFrom("a", "b", "secret"), named, { maxKeys: 3 });

describe("masking, whatever is masked", () => {
  it("shows a secret nowhere, wherever it was put under a masked key", () => {
    const secret = "hunter2-hunter2";
    const plant = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(plant)
        : typeof value === "object" && value !== null
          ? { ...Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plant(v)])), secret }
          : value;
    fc.assert(
      fc.property(fc.oneof(anyArgs, namedArgs), (args) => {
        const shown = maskArgs(["**.secret"], plant(args));
        expect(JSON.stringify(shown)).not.toContain(secret);
      }),
    );
  });
  it("leaves the parts that no path names as they are", () => {
    fc.assert(
      fc.property(namedArgs, fc.array(anyMask, { maxLength: 3 }), (args, masks) => {
        const paths = maskedPaths(masks, args);
        if (paths.length === 0) expect(maskArgs(masks, args)).toEqual(args);
        expect(maskArgs(paths, args)).toEqual(maskArgs(masks, args));
        expect(maskArgs(masks, maskArgs(masks, args))).toEqual(maskArgs(masks, args));
      }),
    );
  });
  it("is undone by an edit that changes nothing", () => {
    fc.assert(
      fc.property(namedArgs, fc.array(anyMask, { maxLength: 3 }), (args, masks) => {
        expect(restoreMasked(masks, maskArgs(masks, args), args)).toEqual({ ok: true, args });
      }),
    );
  });
});
