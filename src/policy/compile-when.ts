import { isDeclared, readField, type Arguments } from "./field.ts";
import { compileGlob } from "./glob.ts";
import { matchHost, parseHost } from "./host.ts";
import { jsonEqual } from "./json-equal.ts";
import { compileRegex, type TextTest } from "./regex.ts";
import { matchShell, parseShellPattern } from "./shell-pattern.ts";
import { agree, every, negate, some, truthOf, type Truth } from "./truth.ts";
import { fieldsOf, listOf, type Predicate, type When } from "./when.ts";
import { isWithin, normaliseText, parseFolder } from "./within.ts";

const LONGEST_PATH = 16_384;

/** A test of a call's arguments, ready to run. */
export type ArgumentsTest = (args: Arguments) => Truth;

/** What a predicate looks at: a value, or that there is none. */
interface Subject {
  /** Undefined when the argument is absent. */
  value: unknown;
  /** Whether an absent argument is one that the schema is known to declare. */
  declared: boolean;
  /** What was looked up for a path: undefined when nothing was. */
  fact: { path: string | null | undefined } | undefined;
}

type SubjectTest = (subject: Subject) => Truth;

/** Builds the test of a rule's `when`. Everything that stands side by side must hold. */
export function compileWhen(when: When): ArgumentsTest {
  const tests: ArgumentsTest[] = fieldsOf(when).map(([path, predicate]) => compileField(path, predicate));
  const { all, any, not } = when;
  if (all !== undefined) tests.push(...all.map(compileWhen));
  if (any !== undefined) {
    const branches = any.map(compileWhen);
    tests.push((args) => some(branches, (test) => test(args)));
  }
  if (not !== undefined) {
    const inner = compileWhen(not);
    tests.push((args) => negate(inner(args)));
  }
  return (args) => every(tests, (test) => test(args));
}

function compileField(path: string, predicate: Predicate): ArgumentsTest {
  const segments = path.split(".");
  const test = compilePredicate(predicate);
  return (args) => {
    const reading = readField(args, segments);
    if (reading.kind === "undeclared") return "false";
    if (reading.kind === "unreadable") return "unknown";
    const declared = isDeclared(args, segments);
    const value = reading.kind === "value" ? reading.value : undefined;
    const truth = test({ value, declared: declared === true, fact: factOf(args, path) });
    // A model could add an argument that no schema declares just to be let through, and a tool that takes any
    // argument would see it: it can hold a call back, never let it pass.
    return declared === false && truth === "true" ? "unknown" : truth;
  };
}

function factOf(args: Arguments, path: string): Subject["fact"] {
  const property = args.paths === undefined ? undefined : Object.getOwnPropertyDescriptor(args.paths, path);
  if (property === undefined || property.value === undefined) return undefined;
  const value: unknown = property.value;
  return { path: typeof value === "string" || value === null ? value : undefined };
}

function compilePredicate(predicate: Predicate): SubjectTest {
  const { exists, equals, all, any, not } = predicate;
  const tests: SubjectTest[] = [];
  if (exists !== undefined) tests.push((subject) => testExists(exists, subject));
  if (equals !== undefined) tests.push(present((value) => jsonEqual(equals, value)));
  const values = predicate.in;
  if (values !== undefined) tests.push(present((value) => isOneOf(values, value)));
  tests.push(...compileTexts(predicate), ...compileBounds(predicate));
  if (all !== undefined) tests.push(...all.map(compilePredicate));
  if (any !== undefined) {
    const branches = any.map(compilePredicate);
    tests.push((subject) => some(branches, (test) => test(subject)));
  }
  if (not !== undefined) {
    const inner = compilePredicate(not);
    tests.push((subject) => negate(inner(subject)));
  }
  return (subject) => every(tests, (test) => test(subject));
}

function testExists(expected: boolean, subject: Subject): Truth {
  if (subject.value !== undefined) return truthOf(expected);
  return subject.declared ? truthOf(!expected) : "unknown";
}

/** One value of the argument's own type is enough to know that it is none of the others. */
function isOneOf(values: NonNullable<Predicate["in"]>, value: unknown): Truth {
  const truths = values.map((one) => jsonEqual(one, value));
  return truths.find((truth) => truth === "true") ?? truths.find((truth) => truth === "false") ?? "unknown";
}

function compileBounds({ gt, gte, lt, lte }: Predicate): SubjectTest[] {
  const bound = (
    limit: number | undefined,
    holds: (value: number, limit: number) => boolean,
  ): SubjectTest[] =>
    limit === undefined
      ? []
      : [present((value) => (isNumber(value) ? truthOf(holds(value, limit)) : "unknown"))];
  return [
    ...bound(gt, (value, limit) => value > limit),
    ...bound(gte, (value, limit) => value >= limit),
    ...bound(lt, (value, limit) => value < limit),
    ...bound(lte, (value, limit) => value <= limit),
  ];
}

function compileTexts({ glob, regex, within, host, shell }: Predicate): SubjectTest[] {
  const tests: SubjectTest[] = [];
  if (glob !== undefined) {
    const globs = listOf(glob).map(compileGlob);
    tests.push(text((value, fact) => matchGlobs(globs, value, fact)));
  }
  if (regex !== undefined) {
    const expressions = listOf(regex).map(compileRegex);
    tests.push(text((value) => some(expressions, (test) => test(value))));
  }
  if (within !== undefined) {
    const folders = listOf(within).map(parseFolder);
    tests.push(text((_, fact) => some(folders, (folder) => isWithin(folder, fact?.path))));
  }
  if (host !== undefined) {
    const hosts = listOf(host).map(parseHost);
    tests.push(text((value) => some(hosts, (pattern) => matchHost(pattern, value))));
  }
  if (shell !== undefined) {
    const patterns = listOf(shell).map(parseShellPattern);
    tests.push(text((value) => matchShell(patterns, value)));
  }
  return tests;
}

/** A path has two names, as written and as resolved. Where a glob takes one and not the other, it is not certain. */
function matchGlobs(globs: readonly TextTest[], value: string, fact: Subject["fact"]): Truth {
  if (value.length > LONGEST_PATH) return "unknown";
  const test = (name: string) => some(globs, (glob) => glob(name));
  if (fact !== undefined)
    return typeof fact.path === "string" ? agree(test(value), test(fact.path)) : "unknown";
  if (!/(^|\/)\.\.?(\/|$)/.test(value)) return test(value);
  const normal = normaliseText(value);
  return normal === undefined ? "unknown" : agree(test(value), test(normal));
}

function present(test: (value: unknown) => Truth): SubjectTest {
  return ({ value }) => (value === undefined ? "unknown" : test(value));
}

function text(test: (value: string, fact: Subject["fact"]) => Truth): SubjectTest {
  return ({ value, fact }) => (typeof value === "string" ? test(value, fact) : "unknown");
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
