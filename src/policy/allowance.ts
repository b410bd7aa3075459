import type { AllowanceInput } from "./fatigue-document.ts";
import { readField } from "./field.ts";

/** A sum up to which calls run without asking, with every default filled in. */
export interface Allowance {
  id: string;
  tools: string[];
  sum: string;
  upTo: number;
  per: string;
  by: "thread" | "user" | "everyone";
}

/** Fills in the default: the calls of one thread are summed up together. */
export function fillAllowance({ by = "thread", ...stated }: AllowanceInput): Allowance {
  return { ...stated, by };
}

/**
 * What a call takes of an allowance: the number at its path, never below zero. Undefined when there is none, or
 * something else stands there: such a call is asked about.
 */
export function amountOf({ sum }: Allowance, args: Record<string, unknown>): number | undefined {
  const reading = readField(
    { value: args, reachTool: true, fields: undefined, paths: undefined },
    sum.split("."),
  );
  if (reading.kind !== "value" || typeof reading.value !== "number") return undefined;
  return Number.isFinite(reading.value) && reading.value >= 0 ? reading.value : undefined;
}
