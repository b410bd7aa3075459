import { compileNameGlob } from "./glob.ts";

/** How a rule names a tool: by its exact name, by a glob, or not at all. */
export type Naming = "exact" | "glob" | undefined;

/** Whether an entry of a rule's `tools` is a glob. */
export function isNameGlob(entry: string): boolean {
  return /[*?]/.test(entry);
}

/** Builds the test that says how a list of names and globs names a tool. */
export function compileNames(entries: readonly string[]): (name: string) => Naming {
  const exact = new Set(entries.filter((entry) => !isNameGlob(entry)));
  const globs = entries.filter(isNameGlob).map(compileNameGlob);
  // A name too long to be judged counts as named by the glob, which can only hold a call back.
  return (name) =>
    exact.has(name) ? "exact" : globs.some((glob) => glob(name) !== "false") ? "glob" : undefined;
}
