import { fork } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import type { Plan, Reply } from "./plan.ts";
import { killAll, serverOf, type Server } from "./server.ts";

export type { Server } from "./server.ts";

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
/** The built command line. */
export const cli = fileURLToPath(new URL("../../dist/src/cli/main.js", import.meta.url));
const SERVE = ["serve", "--port", "0", "--store", "file:state.db"];

/** One SQLite file, the processes that serve it one after the other, and what their tools did. */
export interface Story {
  /** Starts a server that stops at these moments, where another one was if that is said, or under another graph's name. */
  start(holds?: string[], where?: { port?: number; graph?: string }): Promise<Server>;
  /** Starts `countersign serve` for the same agent and the same file. */
  serve(holds?: string[]): Promise<Server>;
  /** The effects of the tools in all processes, oldest first. */
  effects(): string[];
}

const folders: string[] = [];
afterAll(async () => {
  await killAll();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that goes with the tests of the file. */
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "countersign-story-")));
  folders.push(folder);
  return folder;
}

export interface StoryOptions {
  /** Where the processes work. */
  folder?: string;
  /** Where the store is. Default: in the folder. */
  disk?: string;
  /** Where approvals are told. */
  notices?: Plan["notices"];
  /** Whether its processes throw away what they can before they say what they have in memory. */
  gc?: boolean;
}

/** @param script what the model replies, whatever the user says, or by what the user says. */
export function story(
  script: Reply[] | Record<string, Reply[]>,
  policy?: unknown,
  { folder = newFolder(), disk = folder, gc = false, notices }: StoryOptions = {},
): Story {
  const log = join(folder, "effects.log");
  const scripts = Array.isArray(script) ? { "*": script } : script;
  const spawn = (
    file: string,
    args: string[],
    holds: string[],
    where?: { port?: number; graph?: string },
  ): Promise<Server> => {
    const store = `file:${join(disk, "state.db")}`;
    const rest = { ...(policy !== undefined && { policy }), ...(notices && { notices }) };
    const plan: Plan = { folder, store, scripts, holds, ...where, ...rest };
    return forkServer(file, args, folder, { STORY: JSON.stringify(plan) }, gc ? ["--expose-gc"] : []);
  };
  return {
    start: (holds = [], where?) => spawn(fixture("server.mjs"), [], holds, where),
    serve(holds = []) {
      const agent = relative(folder, fixture("agent.mjs"));
      writeFileSync(join(folder, "langgraph.json"), JSON.stringify({ graphs: { agent: `${agent}:agent` } }));
      return spawn(cli, SERVE, holds);
    },
    effects: () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : []),
  };
}

/** Starts `countersign serve` with the bundled agent, as a newcomer does in an empty folder. */
export function serveBundled(folder: string): Promise<Server> {
  return forkServer(cli, SERVE, folder, { COUNTERSIGN_WORKSPACE: "workspace" });
}

function forkServer(
  file: string,
  args: string[],
  cwd: string,
  env: Record<string, string>,
  execArgv: string[] = [],
): Promise<Server> {
  return serverOf(
    fork(file, args, {
      cwd,
      // What is told there by default is no fault.
      env: { PATH: process.env["PATH"] ?? "", COUNTERSIGN_LOG_LEVEL: "error", ...env },
      execArgv,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    }),
  );
}
