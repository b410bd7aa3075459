import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { findChromium } from "./chromium.ts";
import { findJupyter } from "./jupyter.ts";
import { onPostgres, postgresAddress } from "./postgres.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The folders whose tests run the built command line. Other runs do not wait for a build. */
const usesDist = /cli|stories|package|docs|bench|notebooks/;

/**
 * Prepares what tests share: a fresh `dist/` for those that start real processes, a PostgreSQL that answers, and a
 * browser.
 */
export async function setup(project: TestProject): Promise<void> {
  // Vitest keeps the file names of its command line here, but leaves them out of its types.
  const { filenamePattern: chosen = [] } = project.vitest as { filenamePattern?: string[] };
  if (chosen.length === 0 || chosen.some((name) => usesDist.test(name))) buildIfStale();
  project.provide("postgres", await findPostgres());
  project.provide("chromium", chromium());
  project.provide("jupyter", jupyter());
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return Math.max(0, ...files.map((file) => statSync(join(file.parentPath, file.name)).mtimeMs));
}

function isFresh(): boolean {
  const built = statSync(join(root, "dist/src/index.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const configs = ["tsconfig.json", "tsconfig.build.json"].map((file) => statSync(join(root, file)).mtimeMs);
  return built > Math.max(newest(join(root, "src")), ...configs);
}

/** Builds beside `dist/` and then swaps, so that a process started from `dist/` meanwhile never sees half a build. */
function buildIfStale(): void {
  if (isFresh()) return;
  const fresh = join(root, `.dist-${process.pid}`);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  try {
    // Types are checked by `npm run typecheck`; here only the output matters, and the time.
    const args = [tsc, "-p", "tsconfig.build.json", "--noCheck", "--outDir", fresh];
    execFileSync(process.execPath, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
    mkdirSync(join(root, "dist"), { recursive: true });
    rmSync(join(root, "dist/src"), { recursive: true, force: true });
    renameSync(join(fresh, "src"), join(root, "dist/src"));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

async function findPostgres(): Promise<{ url: string } | { missing: string }> {
  const url = postgresAddress();
  try {
    await onPostgres(url, "select 1");
    return { url };
  } catch (error) {
    const missing = `no PostgreSQL answers at ${url} (${error instanceof Error ? error.message : String(error)})`;
    if (process.env["CI"] === "true")
      throw new Error(`${missing}; in CI it must be there.`, { cause: error });
    process.stdout.write(
      `Tests that need PostgreSQL are skipped: ${missing}. Set COUNTERSIGN_TEST_POSTGRES.\n`,
    );
    return { missing };
  }
}

function chromium(): { path: string } | { missing: string } {
  const found = findChromium();
  if ("path" in found) return found;
  if (process.env["CI"] === "true")
    throw new Error(`Chromium is missing: ${found.missing}; in CI it must be there.`);
  process.stdout.write(
    `Tests that need a browser are skipped: ${found.missing}. Install Chromium, or set COUNTERSIGN_TEST_CHROMIUM.\n`,
  );
  return found;
}

function jupyter(): { path: string } | { missing: string } {
  const found = findJupyter();
  if ("path" in found) return found;
  if (process.env["CI"] === "true")
    throw new Error(`Jupyter is missing: ${found.missing}; in CI it must be there.`);
  process.stdout.write(
    `Tests that run the notebooks are skipped: ${found.missing}. Install Jupyter's nbconvert.\n`,
  );
  return found;
}
