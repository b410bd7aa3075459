import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { tempWorkspace } from "./temp-workspace.ts";

afterEach(() => vi.unstubAllEnvs());

/** Whether a process lives; one that ended and was not collected yet does not. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  if (!existsSync("/proc/self/stat")) return true;
  try {
    return !/\) [ZX] /u.test(readFileSync(stat, "utf8"));
  } catch {
    return false;
  }
}

function pidIn(root: string): number {
  return Number(readFileSync(join(root, "pid"), "utf8"));
}

describe("run_shell", () => {
  it("gives the exit code and both streams, also of a command that fails", async () => {
    const { call } = tempWorkspace();
    expect(await call("run_shell", { command: "echo out; echo err >&2; exit 3" })).toBe(
      "exit code: 3\nstdout:\nout\nstderr:\nerr",
    );
    expect(await call("run_shell", { command: "true" })).toBe("exit code: 0\nstdout: empty\nstderr: empty");
  });

  it("runs in the workspace and does not see our variables", async () => {
    vi.stubEnv("OPENAI_API_KEY", "sk-secret");
    const { call, root } = tempWorkspace();
    const result = await call("run_shell", { command: "pwd; env" });
    expect(result).toContain(root);
    expect(result).toContain(`HOME=${root}`);
    expect(result).not.toContain("sk-secret");
    const names = [...result.matchAll(/^(\w+)=/gmu)].map((match) => match[1]);
    const allowed = ["PATH", "HOME", "LANG", "TERM", "PWD", "OLDPWD", "SHLVL", "_"];
    expect(names.filter((name) => !allowed.includes(name ?? ""))).toEqual([]);
  });

  it("stops at its time limit, children and grandchildren included", async () => {
    const { call, root } = tempWorkspace({ shellTimeoutMs: 500 });
    const command = "echo started; sh -c 'sleep 300 & echo $! > pid; wait' & wait";
    await expect(call("run_shell", { command })).rejects.toThrow(
      /did not end within 0\.5 s.*\n.*\nstdout:\nstarted/u,
    );
    expect(lives(pidIn(root))).toBe(false);
  });

  it("kills what does not listen to the first signal", async () => {
    const { call, root } = tempWorkspace({ shellTimeoutMs: 300 });
    writeFileSync(join(root, "deaf.sh"), "trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done");
    await expect(call("run_shell", { command: "sh deaf.sh" })).rejects.toThrow(/did not end/u);
    await vi.waitFor(() => expect(lives(pidIn(root))).toBe(false));
  });

  it("does not leave behind what a finished command started in the background", async () => {
    const { call, root } = tempWorkspace();
    expect(await call("run_shell", { command: "sleep 300 & echo $! > pid" })).toMatch(/^exit code: 0/u);
    expect(lives(pidIn(root))).toBe(false);
  });

  it("stops when the run is cancelled", async () => {
    const { call, root } = tempWorkspace();
    const abort = new AbortController();
    const running = call("run_shell", { command: "echo $$ > pid; sleep 300" }, abort.signal);
    await vi.waitFor(() => expect(pidIn(root)).toBeGreaterThan(0));
    abort.abort();
    await expect(running).rejects.toThrow();
    await vi.waitFor(() => expect(lives(pidIn(root))).toBe(false));
  });

  it("does not start when the run was cancelled before", async () => {
    const { call, root } = tempWorkspace();
    await expect(call("run_shell", { command: "touch started" }, AbortSignal.abort())).rejects.toThrow();
    expect(existsSync(join(root, "started"))).toBe(false);
  });

  it("cuts long output, says so, and lets the command go on", async () => {
    const { call, root } = tempWorkspace({ maxOutputBytes: 1000 });
    const result = await call("run_shell", { command: "head -c 300000 /dev/zero | tr '\\0' x; touch end" });
    expect(result.length).toBeLessThan(1200);
    expect(result).toContain("[cut: the first 1000 of 300000 bytes of output are shown]");
    expect(existsSync(join(root, "end"))).toBe(true);
  });

  it("says plainly that there is no workspace", async () => {
    const { call, root } = tempWorkspace();
    const { rmSync } = await import("node:fs");
    rmSync(root, { recursive: true });
    await expect(call("run_shell", { command: "true" })).rejects.toThrow(
      "The workspace folder does not exist.",
    );
  });
});
