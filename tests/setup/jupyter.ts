import { onPath } from "./on-path.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The program that runs notebooks, or why there is none. */
    jupyter: { path: string } | { missing: string };
  }
}

/** Where there is Jupyter's nbconvert. */
export function findJupyter(): { path: string } | { missing: string } {
  const path = onPath(["jupyter-nbconvert"]);
  return path === undefined ? { missing: "there is no jupyter-nbconvert on the path" } : { path };
}
