import { isDeepStrictEqual } from "node:util";
import { ServerError } from "../problem.ts";

type Filter = Record<string, unknown>;

/** What an operator says of a member of an item and the value it is given. */
const OPERATORS: Record<string, (found: unknown, given: unknown) => boolean> = {
  $eq: (found, given) => isDeepStrictEqual(found, given),
  $ne: (found, given) => !isDeepStrictEqual(found, given),
  $gt: (found, given) => compare(found, given) > 0,
  $gte: (found, given) => compare(found, given) >= 0,
  $lt: (found, given) => compare(found, given) < 0,
  $lte: (found, given) => compare(found, given) <= 0,
  $in: (found, given) => isIn(found, given),
  $nin: (found, given) => !isIn(found, given),
};

/** Refuses an operator that there is not: it would match nothing, and nobody would know why. */
export function checkFilter(filter: Filter): void {
  for (const [member, condition] of Object.entries(filter)) {
    const unknown = operatorsIn(condition).find((name) => !Object.hasOwn(OPERATORS, name));
    if (unknown === undefined) continue;
    const message = `has the operator "${unknown.slice(0, 80)}"; there are ${Object.keys(OPERATORS).join(", ")}`;
    throw new ServerError("invalid_request", `The filter of "${member.slice(0, 80)}" ${message}.`, {
      errors: [{ path: `filter.${member}`, message }],
    });
  }
}

/** Whether an item's value is what a filter asks for: each of its members is equal, or passes every operator. */
export function passes(value: Record<string, unknown>, filter: Filter): boolean {
  return Object.entries(filter).every(([member, condition]) => {
    const found = Object.hasOwn(value, member) ? value[member] : undefined;
    const operators = operatorsIn(condition);
    if (operators.length === 0) return isDeepStrictEqual(found, condition);
    const given = condition as Record<string, unknown>;
    return operators.every((name) => OPERATORS[name]?.(found, given[name]) ?? false);
  });
}

/** The operators in a condition; none when it is a plain value. */
function operatorsIn(condition: unknown): string[] {
  if (typeof condition !== "object" || condition === null || Array.isArray(condition)) return [];
  const names = Object.keys(condition);
  return names.some((name) => name.startsWith("$")) ? names : [];
}

/** Numbers, and texts that are numbers, by size; other texts as texts, which puts times in order. Else nothing holds. */
function compare(found: unknown, given: unknown): number {
  if (!isComparable(found) || !isComparable(given)) return Number.NaN;
  const difference = Number(found) - Number(given);
  if (!Number.isNaN(difference) || typeof found !== "string" || typeof given !== "string") return difference;
  return found < given ? -1 : found > given ? 1 : 0;
}

function isComparable(value: unknown): value is string | number {
  return typeof value === "number" || (typeof value === "string" && value !== "");
}

function isIn(found: unknown, given: unknown): boolean {
  return Array.isArray(given) && given.some((one) => isDeepStrictEqual(found, one));
}
