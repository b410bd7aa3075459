/** A place in a thread, as `values.messages[-1].content`: keys after dots, places of lists in brackets. */
const PATH = /^[A-Za-z_][\w-]*(?:\.[\w-]+|\[-?\d+\])*$/;

export function isPath(path: string): boolean {
  return PATH.test(path);
}

/** What stands at each path; `null` where nothing does. A negative place counts from the end of the list. */
export function extract(from: unknown, paths: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(paths).map(([alias, path]) => [alias, at(from, path)]));
}

function at(from: unknown, path: string): unknown {
  let found = from;
  for (const [step] of path.matchAll(/[\w-]+/g)) {
    if (Array.isArray(found)) found = found.at(Number(step)) as unknown;
    else if (typeof found === "object" && found !== null && Object.hasOwn(found, step))
      found = (found as Record<string, unknown>)[step];
    else return null;
  }
  return found ?? null;
}
