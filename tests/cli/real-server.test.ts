import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCli, startCli, type RunningCli } from "./run-cli.ts";
import { removeProject, tempProject } from "./temp-project.ts";

// Each test runs several commands, which takes its time on a small machine.
vi.setConfig({ testTimeout: 60_000 });

let folder = "";
let server: RunningCli;
let url = "";
let id = "";

const cli = (...args: string[]) => runCli(args, { cwd: folder, env: { COUNTERSIGN_URL: url } });

beforeAll(async () => {
  folder = await tempProject();
  server = startCli(["serve", "--port", "0"], { cwd: folder });
  [, url = ""] = await server.until(/listens on (\S+)/);
  const { stdout } = await runCli(["chat"], {
    cwd: folder,
    env: { COUNTERSIGN_URL: url },
    input: "delete notes/old.md\n",
  });
  [id = ""] = /apr_[0-9a-f]{32}/.exec(stdout) ?? [];
}, 60_000);

afterAll(async () => {
  await server.stop("SIGKILL");
  await removeProject(folder);
});

describe("commands against a server that runs", () => {
  it("judge a call as the graph's own gate does", async () => {
    const check = (args: unknown) =>
      cli(
        "policy",
        "check",
        "--tool",
        "write_file",
        "--args",
        JSON.stringify(args),
        "--graph",
        "agent",
        "--json",
      );
    const scratch = await check({ path: "scratch/a.txt", content: "x" });
    expect(JSON.parse(scratch.stdout)).toMatchObject({ verdict: { tier: "suggest", rules: ["scratch"] } });
    const elsewhere = await check({ path: "notes/a.txt", content: "x" });
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({ verdict: { tier: "approve" } });
  });

  it("leave a refused edit pending, take one decision, and refuse the second with what stands", async () => {
    expect(await cli("approvals", "edit", id, "--args", '{"path":5}')).toMatchObject({ code: 1, stdout: "" });
    expect((await cli("approvals", "list")).stdout).toContain(id);
    const rejected = await cli("approvals", "reject", id, "--message", "Keep it.", "--wait", "10");
    expect(rejected).toEqual({ code: 0, stdout: "delete_file is rejected.\n", stderr: "" });
    const late = await cli("approvals", "approve", id, "--json");
    expect(late.code).toBe(1);
    expect(JSON.parse(late.stderr)).toMatchObject({
      status: 409,
      code: "already_decided",
      approval: { approval_id: id, status: "rejected" },
    });
    expect((await cli("approvals", "list")).stdout).toBe("Nothing is pending.\n");
    expect((await cli("approvals", "list", "--status", "rejected")).stdout).toContain(id);
    expect((await cli("approvals", "withdraw", id)).code).toBe(1);
  });

  it("verify and export the record", async () => {
    expect((await cli("audit", "verify")).stdout).toMatch(/^The chain holds\.\n/);
    expect((await cli("audit", "verify", "--head", "f".repeat(64))).code).toBe(1);
    const { stdout } = await cli("audit", "export");
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { seq: number; type: string });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ type }) => type)).toContain("approval_resolved");
  });

  it("say in one line that there is no such approval or graph", async () => {
    expect(await cli("approvals", "show", "apr_none")).toEqual({
      code: 1,
      stdout: "",
      stderr: 'There is no approval "apr_none".\n',
    });
    const { stderr } = await cli("policy", "check", "--tool", "x", "--args", "{}", "--graph", "nope");
    expect(stderr).toMatch(/"nope".*agent/);
  });
});
