import { compileWhen } from "./compile-when.ts";
import type { Json } from "./json.ts";
import { fieldsOf, TEXT_PREDICATES, type Predicate, type When } from "./when.ts";

/** Where a test contradicts itself and how; undefined when nothing of the kind is seen. */
export interface Contradiction {
  field: string;
  message: string;
}

/** Finds out that a test can never hold: bounds that exclude each other, a value that fails its own other conditions. */
export function contradictionIn(when: When): Contradiction | undefined {
  for (const [field, predicates] of requiredFields(when)) {
    const message = contradictory(predicates);
    if (message !== undefined) return { field, message };
  }
  for (const inner of when.all ?? []) {
    const found = contradictionIn(inner);
    if (found !== undefined) return found;
  }
  const branches = (when.any ?? []).map(contradictionIn);
  return branches.every((branch) => branch !== undefined) ? branches[0] : undefined;
}

/** The fields that must all satisfy something for the test to hold, with what they must satisfy. */
export function requiredFields(when: When): Map<string, Predicate[]> {
  const result = new Map<string, Predicate[]>();
  const collect = (test: When) => {
    for (const [field, predicate] of fieldsOf(test)) {
      result.set(field, [...(result.get(field) ?? []), ...conjuncts(predicate)]);
    }
    test.all?.forEach(collect);
  };
  collect(when);
  return result;
}

function conjuncts(predicate: Predicate): Predicate[] {
  const { all, ...rest } = predicate;
  return [rest, ...(all ?? []).flatMap(conjuncts)];
}

function contradictory(predicates: readonly Predicate[]): string | undefined {
  const has = (key: keyof Predicate) => predicates.some((predicate) => predicate[key] !== undefined);
  const bounds = ["gt", "gte", "lt", "lte"] as const;
  const compares = [...TEXT_PREDICATES, ...bounds, "equals", "in"] as const;
  if (predicates.some(({ exists }) => exists === false)) {
    if (predicates.some(({ exists }) => exists === true)) return "is to be given and left out at once";
    if (compares.some(has)) return "is to be left out and to have a value at once";
  }
  if (TEXT_PREDICATES.some(has) && bounds.some(has)) return "is to be a text and a number at once";
  return boundsExclude(predicates) ?? valuesExcluded(predicates);
}

function boundsExclude(predicates: readonly Predicate[]): string | undefined {
  const low = Math.max(...predicates.flatMap(({ gt, gte }) => [gt ?? -Infinity, gte ?? -Infinity]));
  const high = Math.min(...predicates.flatMap(({ lt, lte }) => [lt ?? Infinity, lte ?? Infinity]));
  const open = predicates.some(({ gt, lt }) => gt === low || lt === high);
  if (low < high || (low === high && !open)) return undefined;
  return `is to be above ${low} and below ${high} at once`;
}

/** A fixed value can simply be tried against everything else that is asked of it. */
function valuesExcluded(predicates: readonly Predicate[]): string | undefined {
  const values: readonly Json[] | undefined = predicates
    .flatMap((predicate) => [
      ...(predicate.equals === undefined ? [] : [[predicate.equals]]),
      ...(predicate.in === undefined ? [] : [predicate.in]),
    ])
    .at(0);
  if (values === undefined) return undefined;
  const test = compileWhen({ value: { all: [...predicates] } });
  const excluded = values.every((value) => {
    return test({ value: { value }, reachTool: true, fields: ["value"], paths: undefined }) === "false";
  });
  return excluded ? "is to be a value that its other conditions exclude" : undefined;
}
