import { fork, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { serverOf } from "./server.ts";
import { cli, newFolder } from "./story.ts";
import { until } from "./until.ts";

type Line = Record<string, unknown>;

interface Start {
  folder?: string;
  args?: string[];
  env?: Record<string, string>;
  /** What is done about standard error once the server has said where it listens. */
  stderr?: (child: ChildProcess) => void;
}

async function serve({ folder = newFolder(), args = [], env = {}, stderr }: Start = {}) {
  const hook = fileURLToPath(new URL("./fixtures/loaded.mjs", import.meta.url));
  const child = fork(cli, ["serve", "--port", "0", "--store", "file:state.db", ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", LOADED: join(folder, "loaded.txt"), ...env },
    execArgv: ["--import", hook],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const server = await serverOf(child);
  stderr?.(child);
  return server;
}

describe("the log of countersign serve", () => {
  it("is a line of JSON for each thing that happens, without what anybody wrote", async () => {
    const folder = newFolder();
    const server = await serve({ folder, args: ["--log-level", "debug"] });
    const thread_id = await server.begin("delete notes/old.md");
    const { approval_id } = await server.pending(thread_id);
    await server.decide(approval_id, { type: "approve", reason: "secret-reason" });
    await fetch(`${server.url}/approvals?tool=secret-tool`, { headers: { "x-api-key": "secret-key" } });
    expect(await server.terminate()).toMatchObject({ code: 0 });
    await until(() => server.stderr().includes("server stopped"), "the last line came");
    const text = server.stderr();
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    const told = lines.filter(({ level }) => level !== "debug").map(({ msg, status }) => [msg, status]);
    expect(told).toEqual([
      ["server started", undefined],
      ["run started", undefined],
      ["approval requested", undefined],
      ["run stopped", "interrupted"],
      ["approval resolved", "approved"],
      ["run started", undefined],
      ["tool result", "done"],
      ["run stopped", "success"],
      ["server stopped", undefined],
    ]);
    for (const { time, level } of lines) {
      expect(new Date(time as string).toISOString()).toBe(time);
      expect(["debug", "info"]).toContain(level);
    }
    expect(lines).toContainEqual(expect.objectContaining({ approval_id, thread_id, tool: "delete_file" }));
    expect(text).not.toMatch(/old\.md|secret|Deleted/);
    // Without a collector nothing of OpenTelemetry is loaded.
    expect(existsSync(join(folder, "loaded.txt"))).toBe(false);
  });

  it("is for people with --log-format text, and still when it is told to be", async () => {
    const server = await serve({ args: ["--log-format", "text"] });
    await server.begin("delete notes/old.md");
    await until(() => server.stderr().includes("run stopped"), "the run was told of");
    expect(server.stderr()).toMatch(/^\d\d:\d\d:\d\d INFO {2}server started url=http:\S+ pid=\d+\n/);
    expect(server.stderr()).toMatch(/INFO {2}approval requested thread_id=\S+ .*tool=delete_file/);
    const silent = await serve({ env: { COUNTERSIGN_LOG_LEVEL: "silent" } });
    await silent.begin("delete notes/old.md");
    expect(silent.stderr()).toBe("");
  });

  const ways: [string, number, (child: ChildProcess) => void][] = [
    // More than what waits between two processes for a reader.
    ["nobody reads it", 70, (child) => child.stderr?.pause()],
    ["it cannot be written", 5, (child) => child.stderr?.destroy()],
  ];

  it.each(ways)("holds nothing up when %s", { timeout: 120_000 }, async (_way, rounds, stderr) => {
    const server = await serve({ args: ["--log-level", "debug"], stderr });
    for (let round = 0; round < rounds; round += 1)
      await Promise.all(Array.from({ length: 10 }, () => server.get(`/approvals/${"x".repeat(200)}`)));
    const thread_id = await server.begin("delete notes/old.md");
    const { approval_id } = await server.pending(thread_id);
    expect(await server.decide(approval_id, { type: "approve" })).toMatchObject({
      body: { approval: { execution: { state: "succeeded" } } },
    });
    expect(await server.terminate()).toMatchObject({ code: 0 });
  });
});

describe("traces of countersign serve", () => {
  it("are loaded when a collector is named", async () => {
    const folder = newFolder();
    const server = await serve({ folder, env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" } });
    await server.begin("delete notes/old.md");
    expect(existsSync(join(folder, "loaded.txt"))).toBe(true);
    const { code, ms } = await server.terminate();
    expect(code).toBe(0);
    expect(ms).toBeLessThan(10_000);
  });
});
