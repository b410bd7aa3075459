import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { scrubbedEnv } from "./scrubbed-env.ts";

/** How to start the process in which SQLite works on what a model wrote. */
export interface ChildCommand {
  program: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

/** The command; beside TypeScript sources it loads the program through tsx, beside built files directly. */
export function childCommand(): ChildCommand {
  const here = fileURLToPath(import.meta.url);
  const cwd = dirname(here);
  const extension = extname(here);
  const file = join(cwd, `sql-process${extension}`);
  const loader = extension === ".ts" ? ["--import", tsxLoader()] : [];
  return { program: process.execPath, args: [...loader, file], cwd, env: scrubbedEnv(cwd) };
}

function tsxLoader(): string {
  return pathToFileURL(createRequire(import.meta.url).resolve("tsx/esm")).href;
}
