import { checkWhen } from "./check-when.ts";
import { compileWhen } from "./compile-when.ts";
import { describeWhen } from "./describe.ts";
import type { PolicyProblem } from "./policy-error.ts";
import { branchesOf, fieldsOf, type When } from "./when.ts";

/** What is wrong with a test of arguments that stands by itself, outside a rule. */
export function checkTest(when: When, path: readonly PropertyKey[]): PolicyProblem[] {
  return checkWhen(when, path);
}

/**
 * Whether arguments pass a test for certain. What cannot be told, such as a path that was not looked up or a shell line
 * that does not parse, does not pass: a test by itself only ever relaxes.
 */
export function passes(
  when: When,
  args: Record<string, unknown>,
  facts: { fields?: readonly string[] | undefined; paths?: Record<string, string | null> | undefined } = {},
): boolean {
  try {
    return (
      compileWhen(when)({ value: args, reachTool: true, fields: facts.fields, paths: facts.paths }) === "true"
    );
  } catch {
    return false;
  }
}

/** The dot paths of all arguments that a test names, however deep. */
export function fieldsNamed(when: When): string[] {
  return [...fieldsOf(when).map(([path]) => path), ...branchesOf(when).flatMap(fieldsNamed)];
}

/** A test of arguments in words. */
export function describeTest(when: When): string {
  return describeWhen(when);
}
