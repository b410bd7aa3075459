import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCli, startCli, widest, type RunningCli } from "./run-cli.ts";
import { graphWith, removeProject, tempProject } from "./temp-project.ts";

// Each test runs several commands, which takes its time on a small machine.
vi.setConfig({ testTimeout: 60_000 });

const PATHS = ["a", "b", "c"];
const steps = [
  { tool_calls: PATHS.map((path) => ({ id: `c_${path}`, name: "remove", args: { path } })) },
  { content: "Done." },
];

let folder = "";
let server: RunningCli;
let env: Record<string, string> = {};

const cli = (...args: string[]) => runCli(args, { cwd: folder, env });

/** What waits on a new thread: three calls that are alike. */
async function asked(): Promise<{ group: string; ids: string[] }> {
  await runCli(["chat"], { cwd: folder, env, input: "go\n" });
  const { stdout } = await cli("approvals", "list", "--json");
  const { approvals } = JSON.parse(stdout) as {
    approvals: { approval_id: string; group_id: string; args: { path: string } }[];
  };
  const sorted = approvals.toSorted((one, other) => one.args.path.localeCompare(other.args.path));
  return { group: sorted[0]!.group_id, ids: sorted.map(({ approval_id }) => approval_id) };
}

async function outcomes(status: string): Promise<number> {
  const { stdout } = await cli("approvals", "list", "--status", status, "--json");
  return (JSON.parse(stdout) as { approvals: unknown[] }).approvals.length;
}

beforeAll(async () => {
  folder = await tempProject({
    "langgraph.json": '{ "graphs": { "agent": "./agent.mjs:agent" } }',
    "agent.mjs": graphWith({ version: 1 }, steps),
  });
  server = startCli(["serve", "--port", "0"], { cwd: folder });
  const [, url = ""] = await server.until(/listens on (\S+)/);
  env = { COUNTERSIGN_URL: url };
}, 60_000);

afterAll(async () => {
  await server.stop("SIGKILL");
  await removeProject(folder);
});

describe("a group on the command line", () => {
  it("is listed as one, decided but for what is taken out, and then to its end", async () => {
    const { group, ids } = await asked();
    const list = await cli("approvals", "list");
    expect(list.stdout).toMatch(new RegExp(`^3 calls of remove, alike: ${group}$`, "m"));
    for (const id of ids) expect(list.stdout.match(new RegExp(id, "g"))).toHaveLength(1);
    expect(widest(list.stdout)).toBeLessThanOrEqual(80);

    const some = await cli("approvals", "approve", "--group", group, "--except", ids[1]!, "--wait", "10");
    expect(some).toMatchObject({ code: 0, stderr: "" });
    expect(some.stdout).toMatch(/2 calls of remove are approved\.\n1 of the group is still pending\.\n$/);
    expect(some.stdout).toContain('{"path":"a"}');
    expect(some.stdout).not.toContain('{"path":"b"}');
    expect((await cli("approvals", "list")).stdout).toContain(ids[1]!);
    expect((await cli("approvals", "list")).stdout).not.toContain("alike");

    const rest = await cli("approvals", "reject", "--group", group, "--message", "no", "--wait", "10");
    expect(rest.stdout).toMatch(/1 call of remove is rejected\.\n$/);
    expect([await outcomes("pending"), await outcomes("approved"), await outcomes("rejected")]).toEqual([
      0, 2, 1,
    ]);
  });

  it("is decided by nobody who says it unclearly", async () => {
    const { group, ids } = await asked();
    const wrong: [string[], RegExp][] = [
      [[], /Give the id of an approval, or --group/],
      [[ids[0]!, "--group", group], /not both/],
      [[ids[0]!, "--except", ids[1]!], /give --group as well/],
      [["--group", group, "--except", "apr_none"], /apr_none is not pending in this group/],
      [["--group", group, "--except", ...ids], /leaves no call/],
      [["--group", "grp_none"], /No pending approval is in a group grp_none/],
    ];
    for (const [args, message] of wrong) {
      const { code, stdout, stderr } = await cli("approvals", "approve", ...args);
      expect({ args, code: code === 0, stdout }).toEqual({ args, code: false, stdout: "" });
      expect(stderr).toMatch(message);
      expect(stderr.trimEnd()).not.toContain("\n");
    }
    expect(await outcomes("pending")).toBe(3);
    await cli("approvals", "reject", "--group", group, "--wait", "10");
  });
});

describe("a group in the chat", () => {
  const chat = (input: string) => runCli(["chat"], { cwd: folder, env, input });

  it("is shown together and decided together", async () => {
    const { code, stdout } = await chat("go\napprove all\n");
    expect(code).toBe(0);
    expect(stdout).toMatch(/3 calls of remove, alike/);
    for (const path of PATHS) expect(stdout).toContain(`{"path":"${path}"}`);
    expect(stdout.match(/✓ remove done/g)).toHaveLength(3);
    expect(stdout).toContain("Done.");
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });

  it("may be decided one by one, and the rest of it together", async () => {
    const { stdout } = await chat("go\napprove\nreject all because of the rest\n");
    expect(stdout.match(/✓ remove done/g)).toHaveLength(1);
    expect(stdout.match(/✗ remove rejected/g)).toHaveLength(2);
    expect(await outcomes("pending")).toBe(0);
  });

  it("keeps a reason that begins with all for a single call", async () => {
    const { stdout } = await chat("go\nreject all wrong\nreject\nreject\n");
    expect(stdout.match(/✗ remove rejected/g)).toHaveLength(3);
    const { stdout: list } = await cli("approvals", "list", "--status", "rejected", "--json");
    expect(list).toContain('"message": "all wrong"');
  });

  it("is a line of its own for programs", async () => {
    const { stdout } = await runCli(["chat", "--json"], { cwd: folder, env, input: "go\nreject all\n" });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.find(({ type }) => type === "group")).toMatchObject({
      group_id: expect.stringMatching(/^grp_/) as string,
      approvals: [{ tool: "remove" }, { tool: "remove" }, { tool: "remove" }],
    });
    expect(lines.filter(({ type }) => type === "settled")).toHaveLength(3);
    expect(existsSync(join(folder, ".countersign"))).toBe(true);
  });
});
