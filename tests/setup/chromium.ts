import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

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
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const path = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isProgram);
  return path === undefined ? { missing: `none of ${NAMES.join(", ")} is on the path` } : { path };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
