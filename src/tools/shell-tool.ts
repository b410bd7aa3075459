import { realpathSync } from "node:fs";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { withRisk } from "../graph/with-risk.ts";
import { argument, signalOf } from "./argument.ts";
import { runGroup } from "./process-group.ts";
import type { GroupResult } from "./process-group.ts";
import { scrubbedEnv } from "./scrubbed-env.ts";

export interface ShellLimits {
  timeoutMs: number;
  maxBytes: number;
}

// The tool stops by itself at its limit; the gate's own timeout stands behind it, for a group that cannot be ended.
const SLACK_MS = 15_000;

/**
 * `run_shell`: one command line for `/bin/sh` in the workspace folder, with an environment that holds nothing secret.
 *
 * The result names the exit code and both streams; a code other than 0 is a result. Running into the time limit and
 * an abort are errors; the whole process group ends in every case.
 */
export function runShellTool(root: string, limits: ShellLimits) {
  return withRisk(
    tool(({ command }, config) => runCommand(root, command, limits, signalOf(config)), {
      name: "run_shell",
      description: "Run a shell command in the workspace folder. Returns its exit code and what it printed.",
      schema: z.object({ command: z.string().min(1).max(20_000).describe("The command line.") }),
    }),
    "approve",
    {
      timeoutMs: limits.timeoutMs + SLACK_MS,
      describe: (args) => `Runs in the workspace: ${argument(args, "command")}`,
    },
  );
}

async function runCommand(
  root: string,
  command: string,
  limits: ShellLimits,
  signal: AbortSignal | undefined,
): Promise<string> {
  const cwd = workspaceFolder(root);
  const result = await runGroup("/bin/sh", ["-c", command], {
    cwd,
    env: scrubbedEnv(cwd),
    ...limits,
    signal,
  });
  const seconds = limits.timeoutMs / 1000;
  switch (result.ended) {
    case "exit":
      return report(result, limits.maxBytes);
    case "timeout":
      throw new Error(
        `The command did not end within ${seconds} s and was stopped, with all it started. What it did until then ` +
          `stays done.\n${report(result, limits.maxBytes)}`,
      );
    case "abort":
      throw new Error(
        "The command was stopped because the run was cancelled. What it did until then stays done.",
      );
    default:
      return result.ended satisfies never;
  }
}

function workspaceFolder(root: string): string {
  try {
    return realpathSync.native(root);
  } catch (error) {
    throw new Error("The workspace folder does not exist.", { cause: error });
  }
}

function report(result: GroupResult, maxBytes: number): string {
  const end = result.killedBy === null ? `exit code: ${String(result.code)}` : `ended by: ${result.killedBy}`;
  const lines = [end, ...section("stdout", result.stdout), ...section("stderr", result.stderr)];
  if (result.written > maxBytes) {
    lines.push(`[cut: the first ${maxBytes} of ${result.written} bytes of output are shown]`);
  }
  return lines.join("\n");
}

function section(name: string, bytes: Uint8Array): string[] {
  if (bytes.byteLength === 0) return [`${name}: empty`];
  return [`${name}:`, new TextDecoder().decode(bytes).replace(/\n$/u, "")];
}
