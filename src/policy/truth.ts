/** The answer of a predicate. `unknown` counts as a match where a rule tightens and as no match where it relaxes. */
export type Truth = "true" | "false" | "unknown";

export function truthOf(value: boolean): Truth {
  return value ? "true" : "false";
}

export function negate(truth: Truth): Truth {
  return truth === "unknown" ? "unknown" : truthOf(truth === "false");
}

/** True when all are true, false when one is false, else unknown. Stops at the first false. */
export function every<T>(items: readonly T[], test: (item: T) => Truth): Truth {
  let result: Truth = "true";
  for (const item of items) {
    const truth = test(item);
    if (truth === "false") return "false";
    if (truth === "unknown") result = "unknown";
  }
  return result;
}

/** True when one is true, false when all are false, else unknown. Stops at the first true. */
export function some<T>(items: readonly T[], test: (item: T) => Truth): Truth {
  return negate(every(items, (item) => negate(test(item))));
}

/** Two readings of one value: what both say, or unknown where they differ. */
export function agree(a: Truth, b: Truth): Truth {
  return a === b ? a : "unknown";
}
