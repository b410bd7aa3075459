import { z } from "zod";
import type { Json } from "./json.ts";

/** A test of one argument. Keys that stand together must all hold. */
export interface Predicate {
  equals?: Json | undefined;
  in?: Json[] | undefined;
  glob?: string | string[] | undefined;
  regex?: string | string[] | undefined;
  within?: string | string[] | undefined;
  host?: string | string[] | undefined;
  shell?: string | string[] | undefined;
  gt?: number | undefined;
  gte?: number | undefined;
  lt?: number | undefined;
  lte?: number | undefined;
  exists?: boolean | undefined;
  not?: Predicate | undefined;
  all?: Predicate[] | undefined;
  any?: Predicate[] | undefined;
}

/**
 * A test of a call: dot paths of arguments, each with a predicate, and `all`, `any`, `not` over further such tests.
 * Everything that stands side by side must hold. Inside a predicate `all`, `any` and `not` hold predicates about the
 * same argument; beside the dot paths they hold whole tests. An argument that is itself called `all`, `any` or `not`
 * cannot be named.
 */
export interface When {
  all?: When[] | undefined;
  any?: When[] | undefined;
  not?: When | undefined;
  [field: string]: Predicate | When | When[] | undefined;
}

/** The keys that compare an argument with a text or with one of several texts. */
export const TEXT_PREDICATES = ["glob", "regex", "within", "host", "shell"] as const;
export type TextPredicate = (typeof TEXT_PREDICATES)[number];

const text = z.string().min(1);
const oneOrMore = z.union([text, z.array(text).min(1)]);
const bound = z.number();

const predicateShape = {
  equals: z.json().describe("The argument is this JSON value, compared deeply.").optional(),
  in: z.array(z.json()).min(1).describe("The argument is one of these JSON values.").optional(),
  glob: oneOrMore
    .describe(
      "The whole text matches this glob (or one of several): `*` within a path segment, `**` across them, `?`, `[a-z]`, `{a,b}`. A path must match as written and as resolved.",
    )
    .optional(),
  regex: oneOrMore
    .describe(
      "The whole text matches this RE2 expression (or one of several). No lookaround, no backreferences.",
    )
    .optional(),
  within: oneOrMore
    .describe(
      "The path, with its links followed, is this folder of the workspace (or one of several) or lies below it.",
    )
    .optional(),
  host: oneOrMore
    .describe(
      'The host of an http or https URL is this one, or lies below it when written "*.example.com". With a port, the port must be equal too.',
    )
    .optional(),
  shell: oneOrMore
    .describe(
      "Every command of the shell line matches one of these patterns, word by word; `*` as the last word stands for any further words, elsewhere for one.",
    )
    .optional(),
  gt: bound.describe("The number is greater than this.").optional(),
  gte: bound.describe("The number is this or greater.").optional(),
  lt: bound.describe("The number is less than this.").optional(),
  lte: bound.describe("The number is this or less.").optional(),
  exists: z.boolean().describe("The argument is given (true) or left out (false).").optional(),
};

/** The predicates that compare; `not`, `all` and `any` combine them. */
export const PREDICATE_KEYS: readonly string[] = [...Object.keys(predicateShape), "not", "all", "any"];

export const Predicate: z.ZodType<Predicate> = z
  .strictObject({
    ...predicateShape,
    get not() {
      return Predicate.optional().describe("This does not hold of the argument.");
    },
    get all() {
      return z.array(Predicate).min(1).describe("All of these hold of the argument.").optional();
    },
    get any() {
      return z.array(Predicate).min(1).describe("One of these holds of the argument.").optional();
    },
  })
  .refine(hasKeys, "must name a predicate, such as equals, glob or gt")
  .meta({ id: "Predicate", minProperties: 1 });

export const When: z.ZodType<When> = z
  .object({
    get all() {
      return z.array(When).min(1).describe("All of these tests hold.").optional();
    },
    get any() {
      return z.array(When).min(1).describe("One of these tests holds.").optional();
    },
    get not() {
      return When.optional().describe("This test does not hold.");
    },
  })
  .catchall(Predicate)
  .refine(hasKeys, "must name an argument")
  .meta({ id: "When", minProperties: 1 });

/** The dot paths of a test with their predicates, without what `all`, `any` and `not` hold. */
export function fieldsOf(when: When): [path: string, predicate: Predicate][] {
  return Object.entries(when).filter((entry): entry is [string, Predicate] => {
    const [key, value] = entry;
    return value !== undefined && key !== "all" && key !== "any" && key !== "not";
  });
}

/** The tests that `all`, `any` and `not` of a test hold. */
export function branchesOf(when: When): When[] {
  return [...(when.all ?? []), ...(when.any ?? []), ...(when.not === undefined ? [] : [when.not])];
}

/** The predicates that `all`, `any` and `not` of a predicate hold. */
export function innerPredicates(predicate: Predicate): Predicate[] {
  return [
    ...(predicate.all ?? []),
    ...(predicate.any ?? []),
    ...(predicate.not === undefined ? [] : [predicate.not]),
  ];
}

/** A text predicate's value as a list. */
export function listOf(value: string | string[]): string[] {
  return typeof value === "string" ? [value] : value;
}

function hasKeys(value: object): boolean {
  return Object.keys(value).length > 0;
}
