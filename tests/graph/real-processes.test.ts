import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Approval } from "../../src/ledger/index.ts";

vi.setConfig({ testTimeout: 90_000 });

const script = fileURLToPath(new URL("fixtures/resume-process.ts", import.meta.url));
const folders: string[] = [];
const running = new Set<ChildProcessWithoutNullStreams>();
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  results: unknown[];
  pending: Approval[];
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-processes-"));
  folders.push(folder);
  return folder;
}

/** A process that does something to the thread in a folder. */
function start(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, ["--import", "tsx", script, folder, ...args]);
  running.add(child);
  let [output, errors] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (output += text.toString()));
  child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  void closed.then(() => running.delete(child));
  return {
    child,
    closed,
    said: (word: string) =>
      vi.waitUntil(() => errors.includes(word) || child.exitCode !== null, { timeout: 60_000 }),
    ended: async (): Promise<Ended> => {
      await closed;
      if (output === "") throw new Error(errors);
      return JSON.parse(output) as Ended;
    },
  };
}

const effects = (folder: string): string => readFileSync(join(folder, "effects.txt"), "utf8");

describe("two processes that approve one call at the same moment", () => {
  it("run its tool once, and both end with its result", async () => {
    const folder = newFolder();
    expect((await start(folder, "ask").ended()).pending).toHaveLength(1);
    const both = [start(folder, "approve"), start(folder, "approve")];
    await Promise.all(both.map(({ said }) => said("ready")));
    for (const { child } of both) child.stdin.write("go\n");
    const [one, two] = await Promise.all(both.map(({ ended }) => ended()));
    expect(effects(folder)).toBe("once\n");
    expect([one?.results, two?.results]).toEqual([["wrote once"], ["wrote once"]]);
    expect(one?.pending).toEqual([]);
  });
});

describe("a process that is killed inside a tool, after its effect,", () => {
  it("leaves the question what happened, and the tool does not run twice", async () => {
    const folder = newFolder();
    await start(folder, "ask").ended();
    const killed = start(folder, "approve", "slow");
    await killed.said("ready");
    killed.child.stdin.write("go\n");
    await killed.said("effect");
    killed.child.kill("SIGKILL");
    await killed.closed;
    const next = await start(folder, "go-on").ended();
    expect(next.pending).toMatchObject([{ kind: "outcome", round: 2, tool: "append" }]);
    expect(effects(folder)).toBe("once\n");
  });
});
