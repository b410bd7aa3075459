import { isProgram, onPath } from "./on-path.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The browser that tests drive, or why there is none. */
    chromium: { path: string } | { missing: string };
  }
}

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** Where there is a Chromium: at COUNTERSIGN_TEST_CHROMIUM, or on the path under one of its names. */
export function findChromium(): { path: string } | { missing: string } {
  const given = process.env["COUNTERSIGN_TEST_CHROMIUM"];
  if (given !== undefined) return isProgram(given) ? { path: given } : { missing: `${given} is no program` };
  const path = onPath(NAMES);
  return path === undefined ? { missing: `none of ${NAMES.join(", ")} is on the path` } : { path };
}
