import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";

/** The built command line, as `npx countersign` runs it. */
const main = fileURLToPath(new URL("../../dist/src/cli/main.js", import.meta.url));

export interface Surroundings {
  /** The folder that the command is called in. */
  cwd?: string;
  env?: Record<string, string>;
  /** What standard input holds; without it, it is empty and at its end. */
  input?: string;
}

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs one command to its end. */
export async function runCli(args: string[], surroundings: Surroundings = {}): Promise<Finished> {
  const cli = startCli(args, surroundings);
  cli.process.stdin?.end(surroundings.input ?? "");
  return cli.finished;
}

/** A command that runs: what it has printed, and a way to type to it. */
export interface RunningCli {
  process: ChildProcess;
  finished: Promise<Finished>;
  stdout(): string;
  stderr(): string;
  /** Types a line. */
  type(line: string): void;
  /** Waits until standard output holds this, as it stands or with its lines joined, and gives back the match. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

/** Starts one command. Whatever the surroundings do not name is not taken from the environment of the tests. */
export function startCli(args: string[], { cwd, env = {} }: Surroundings = {}): RunningCli {
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...env },
  });
  const printed = { stdout: "", stderr: "" };
  child.stdout.on("data", (data: Buffer) => (printed.stdout += data.toString()));
  child.stderr.on("data", (data: Buffer) => (printed.stderr += data.toString()));
  // A process that has ended does not read what is still typed to it.
  child.stdin.on("error", () => undefined);
  const finished = once(child, "close").then(([code]) => ({ code: code as number | null, ...printed }));
  return {
    process: child,
    finished,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    type: (line) => void child.stdin.write(`${line}\n`),
    until: (pattern) =>
      vi.waitFor(
        () => {
          const match = pattern.exec(printed.stdout) ?? pattern.exec(unbarred(printed.stdout));
          if (match !== null) return match;
          throw new Error(
            `Not printed: ${pattern}\n--- stdout\n${printed.stdout}\n--- stderr\n${printed.stderr}`,
          );
        },
        { timeout: 30_000, interval: 30 },
      ),
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return finished;
    },
  };
}

/** What a chat shows, without the bar at its left and the line breaks that came from the width of the screen. */
export function unbarred(text: string): string {
  return text.replace(/\n│ */g, " ");
}

/** The widest line of a text, in characters. */
export function widest(text: string): number {
  return Math.max(...text.split("\n").map((line) => line.length));
}
