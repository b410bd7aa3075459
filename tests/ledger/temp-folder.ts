import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Gives paths of files that do not exist yet, in a folder that goes away after the tests of the calling file. */
export function tempFolder(): (name?: string) => string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-ledger-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  return (name = "state.db") => join(folder, String((count += 1)), name);
}
