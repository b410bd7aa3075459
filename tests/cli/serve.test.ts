import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runCli, startCli, type RunningCli } from "./run-cli.ts";
import { graphWith, removeProject, tempProject } from "./temp-project.ts";

// Each test starts a server or two, which takes its time on a small machine.
vi.setConfig({ testTimeout: 60_000 });

const folders: string[] = [];
const running: RunningCli[] = [];

async function project(files: Record<string, unknown> = {}): Promise<string> {
  const folder = await tempProject(files);
  folders.push(folder);
  return folder;
}

function serve(cwd: string, args: string[] = []): RunningCli {
  const cli = startCli(["serve", "--port", "0", ...args], { cwd });
  running.push(cli);
  return cli;
}

/** What a log holds, line by line. */
function linesOf(stderr: string): unknown[] {
  return stderr
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((cli) => cli.stop("SIGKILL")));
  await Promise.all(folders.splice(0).map(removeProject));
});

const config = { graphs: { agent: "./agent.mjs:agent" } };

describe("serve", () => {
  it("ends its start-up with one line that holds the URL, and answers there", async () => {
    const cwd = await project();
    const cli = serve(cwd);
    const [, url = ""] = await cli.until(/listens on (http:\/\/127\.0\.0\.1:\d+)\n$/);
    expect(await (await fetch(`${url}/ok`)).json()).toMatchObject({ ok: true });
    expect(existsSync(join(cwd, ".countersign/state.db"))).toBe(true);
    expect(linesOf(cli.stderr())).toMatchObject([{ level: "info", msg: "server started", url }]);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("stops on %s and exits with 0", async (signal) => {
    const cli = serve(await project());
    await cli.until(/listens on/);
    const { code, stderr } = await cli.stop(signal);
    expect(code).toBe(0);
    expect(linesOf(stderr)).toMatchObject([{ msg: "server started" }, { msg: "server stopped" }]);
  });

  it("stops while somebody listens to its events", async () => {
    const cli = serve(await project());
    const [, url = ""] = await cli.until(/listens on (\S+)/);
    const events = await fetch(`${url}/events`);
    expect(events.ok).toBe(true);
    expect(await cli.stop()).toMatchObject({ code: 0 });
    await events.body?.cancel().catch(() => undefined);
  });

  it("tells its URL as JSON with --json", async () => {
    const cli = serve(await project(), ["--json"]);
    await cli.until(/\n/);
    const started = JSON.parse(cli.stdout()) as { url: string; pid: number };
    expect(started.pid).toBe(cli.process.pid);
    expect((await fetch(`${started.url}/ok`)).ok).toBe(true);
  });

  it("lets Studio use it with --studio, prints its link and says what that means", async () => {
    const cli = serve(await project(), ["--studio", "--allow-origin", "http://localhost:3000"]);
    const [, url = ""] = await cli.until(/listens on (http:\/\/127\.0\.0\.1:\d+)\n$/);
    expect(cli.stdout()).toContain(`https://smith.langchain.com/studio/?baseUrl=${url}\n`);
    expect(cli.stdout()).toMatch(/Whoever has that page open can .*decide/);
    for (const origin of [
      "https://smith.langchain.com",
      "https://eu.smith.langchain.com",
      "http://localhost:3000",
    ])
      expect(
        (await fetch(`${url}/info`, { headers: { origin } })).headers.get("access-control-allow-origin"),
      ).toBe(origin);
  });

  it("lets Studio not use it without --studio", async () => {
    const cli = serve(await project());
    const [, url = ""] = await cli.until(/listens on (\S+)/);
    expect(cli.stdout()).not.toContain("smith.langchain.com");
    const answer = await fetch(`${url}/info`, { headers: { origin: "https://smith.langchain.com" } });
    expect(answer.status).toBe(403);
  });

  it("serves the graphs of the langgraph.json in its folder", async () => {
    const cwd = await project({ "langgraph.json": config, "agent.mjs": graphWith({ version: 1 }) });
    const cli = serve(cwd);
    await cli.until(/listens on/);
    expect(cli.stdout()).toContain(`config ${join(cwd, "langgraph.json")}\n`);
  });
});

describe("serve refuses to start, in one line, with exit code 1", () => {
  const files = (policy: unknown) => ({ "langgraph.json": config, "agent.mjs": graphWith(policy) });
  const rule = { id: "r", tools: ["remove"], tier: "deny" };

  async function refusal(cwd: string, args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runCli(["serve", "--port", "0", ...args], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    return stderr;
  }

  it.each([
    { what: "an unknown key", policy: { version: 1, rulez: [] }, says: /rulez.*rules/ },
    {
      what: "a misspelt tier",
      policy: { version: 1, default: "aprove" },
      says: /default: "aprove".*"approve"/,
    },
    { what: "empty decisions", policy: { version: 1, review: { decisions: [] } }, says: /review\.decisions/ },
    {
      what: "a bad duration",
      policy: { version: 1, review: { timeout: "1x" } },
      says: /review\.timeout: "1x"/,
    },
    {
      what: "a rule for a tool that does not exist",
      policy: { version: 1, rules: [{ ...rule, tools: ["remov"] }] },
      says: /rules\[0\]\.tools\[0\]: "remov".*remove/,
    },
    {
      what: "a key that needs to know who decides",
      policy: { version: 1, review: { quorum: 2 } },
      says: /review\.quorum/,
    },
  ])("because of $what in the policy", async ({ policy, says }) => {
    expect(await refusal(await project(files(policy)), [])).toMatch(says);
  });

  it("because COUNTERSIGN_POLICY names no policy", async () => {
    const cwd = await project();
    const env = { COUNTERSIGN_POLICY: "strict" };
    const { code, stdout, stderr } = await runCli(["serve", "--port", "0"], { cwd, env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /COUNTERSIGN_POLICY is "strict"; the names there are: careful, everyday, headless; or the path of a \.json file\.\n$/,
    );
  });

  it("because COUNTERSIGN_POLICY names a file that cannot be read, or a policy that is none", async () => {
    const cwd = await project();
    await writeFile(join(cwd, "mine.json"), JSON.stringify({ version: 1, default: "aprove" }));
    const serve = (file: string) =>
      runCli(["serve", "--port", "0"], { cwd, env: { COUNTERSIGN_POLICY: file } });
    await writeFile(join(cwd, "torn"), '{\n  "version": 1,\n');
    const [gone, torn, wrong] = [await serve("gone.json"), await serve("./torn"), await serve("mine.json")];
    expect(gone).toMatchObject({ code: 1, stdout: "" });
    expect(gone.stderr).toMatch(/COUNTERSIGN_POLICY is "gone\.json", which cannot be read: .*\n$/);
    expect(torn.stderr).toMatch(/^.*COUNTERSIGN_POLICY is "\.\/torn", which cannot be read: .*JSON.*\n$/);
    expect(wrong.stderr).toMatch(/default: "aprove" is not one of/);
  });

  it("because its langgraph.json is not there", async () => {
    const cwd = await project();
    expect(await refusal(cwd, ["--config", "other.json"])).toBe(
      `${join(cwd, "other.json")} does not exist. Give the path of a langgraph.json with --config.\n`,
    );
  });

  it("because a graph file is not there", async () => {
    expect(await refusal(await project({ "langgraph.json": config }), [])).toMatch(/agent\.mjs/);
  });

  it("because the store cannot be written", async () => {
    const cwd = await project();
    await mkdir(join(cwd, "state.db"));
    expect(await refusal(cwd, ["--store", "file:state.db"])).toMatch(/state\.db/);
  });

  it("because a newer version wrote the store", async () => {
    const cwd = await project();
    const first = serve(cwd, ["--store", "file:state.db"]);
    await first.until(/listens on/);
    await first.stop();
    const database = new Database(join(cwd, "state.db"));
    database.prepare("update countersign_schema set version = 9999 where room = 'ledger'").run();
    database.close();
    expect(await refusal(cwd, ["--store", "file:state.db"])).toMatch(/version 9999.*Update countersign/);
  });

  it("because the port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const text = await refusal(await project(), ["--port", String(port)]);
    other.close();
    expect(text).toBe(
      `Port ${port} of 127.0.0.1 is taken. Stop what listens there, or give another one with --port.\n`,
    );
  });

  it.each(["*", "localhost:3000", "http://localhost:3000/"])("because %s is no origin", async (origin) => {
    const args = ["serve", "--port", "0", "--allow-origin", origin];
    const { code, stderr } = await runCli(args, { cwd: await project() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^--allow-origin: The origin ".*" cannot be allowed: .*\n$/);
  });

  it("because others can reach the host", async () => {
    expect(await refusal(await project(), ["--host", "0.0.0.0"])).toMatch(
      /^Others can reach the host "0\.0\.0\.0".*countersign token create/,
    );
  });
});
