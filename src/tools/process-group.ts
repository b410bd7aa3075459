import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

export interface GroupOptions {
  cwd: string;
  env: Record<string, string>;
  /** Milliseconds until the group is ended. */
  timeoutMs: number;
  /** Bytes of both streams together that are kept; the rest is read and dropped. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
  /** Written to standard input, which is otherwise empty. */
  input?: string;
  /** An open file that the process gets as descriptor 3. */
  inherit?: number;
}

export interface GroupResult {
  /** Why it ended: by itself, at the time limit, or because the caller withdrew. */
  ended: "exit" | "timeout" | "abort";
  code: number | null;
  killedBy: NodeJS.Signals | null;
  stdout: Uint8Array;
  stderr: Uint8Array;
  /** Bytes written in all, kept or not. */
  written: number;
}

// How long a group has to stop after SIGTERM, and how long output may still arrive once the first process is gone.
const GRACE_MS = 1000;

/**
 * Runs a program as the leader of a process group of its own and waits for it.
 *
 * Whatever the leader started and left in the group ends with it: SIGTERM, then SIGKILL. A process that gave itself
 * another session is out of reach.
 *
 * @throws {Error} when the program cannot be started.
 */
export async function runGroup(
  file: string,
  args: readonly string[],
  options: GroupOptions,
): Promise<GroupResult> {
  options.signal?.throwIfAborted();
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe", ...(options.inherit === undefined ? [] : [options.inherit])],
  });
  const output = collect(child, options.maxBytes);
  // A program that ends without reading its input is no error of ours.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(options.input ?? "");
  await started(child);

  let ended: GroupResult["ended"] = "exit";
  const closed = once(child, "close").catch(() => undefined);
  const exited =
    child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : once(child, "exit");
  const stop = (why: "timeout" | "abort") => {
    ended = ended === "exit" ? why : ended;
    void endGroup(child.pid);
  };
  const timer = setTimeout(() => stop("timeout"), options.timeoutMs);
  const onAbort = () => stop("abort");
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted === true) onAbort();
  try {
    await exited;
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
  }
  await endGroup(child.pid);
  await Promise.race([closed, delay(GRACE_MS, undefined, { ref: false })]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return { ended, code: child.exitCode, killedBy: child.signalCode, ...output.take() };
}

/** Ends every process of a group: asks first, then kills. Returns when none is left or all were killed. */
async function endGroup(pid: number | undefined): Promise<void> {
  if (pid === undefined || !signalGroup(pid, "SIGTERM")) return;
  const deadline = Date.now() + GRACE_MS;
  while (Date.now() < deadline) {
    await delay(10);
    if (!signalGroup(pid, 0)) return;
  }
  signalGroup(pid, "SIGKILL");
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

async function started(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined) return;
  const [error] = await once(child, "error").catch((cause: unknown) => [cause]);
  throw new Error("The program could not be started.", { cause: error });
}

function collect(child: ChildProcess, maxBytes: number) {
  const kept = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let written = 0;
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.on("data", (data: Buffer) => {
      const room = Math.max(0, maxBytes - written);
      written += data.byteLength;
      if (room > 0) kept[name].push(data.subarray(0, room));
    });
  }
  return {
    take: () => ({ stdout: Buffer.concat(kept.stdout), stderr: Buffer.concat(kept.stderr), written }),
  };
}
