import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const exec = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const bin = (name: string) => join(root, "node_modules/.bin", name);

/** A project of somebody who has never seen this repository. */
const project = { folder: "", tarball: "" };

const graph = `
import { tool } from "@langchain/core/tools";
import { createApprovalAgent, scriptedModel, withRisk } from "countersign";
import { z } from "zod";

const remove = tool(({ path }) => \`removed \${path}\`, {
  name: "remove",
  description: "Remove a file.",
  schema: z.object({ path: z.string() }),
});

export const agent = createApprovalAgent({
  model: scriptedModel([{ content: "Hello." }]),
  tools: [withRisk(remove, "approve")],
  policy: { version: 1 },
});
`;

beforeAll(async () => {
  const scratch = await mkdtemp(join(tmpdir(), "countersign-tarball-"));
  project.folder = join(scratch, "project");
  // dist/ is fresh already, and packing must not build it anew under the feet of other tests.
  const { stdout } = await exec("npm", ["pack", "--ignore-scripts", "--pack-destination", scratch], {
    cwd: root,
  });
  project.tarball = join(scratch, stdout.trim().split("\n").at(-1) ?? "");
  await mkdir(project.folder);
  const files = {
    "package.json": { name: "newcomer", private: true, type: "module" },
    "tsconfig.json": {
      compilerOptions: {
        module: "nodenext",
        target: "es2022",
        strict: true,
        noEmit: true,
        skipLibCheck: true,
      },
      files: ["agent.ts"],
    },
    "langgraph.json": { dependencies: ["."], graphs: { agent: "./agent.ts:agent" } },
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(project.folder, name), JSON.stringify(content, null, 2));
  }
  await writeFile(join(project.folder, "agent.ts"), graph);
  const options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await exec("npm", ["install", project.tarball, ...options], { cwd: project.folder });
  // The only script that matters compiles this module, for minutes where no binary can be fetched: take the one here.
  const native = "node_modules/better-sqlite3/build";
  await cp(join(root, native), join(project.folder, native), { recursive: true });
}, 300_000);

afterAll(() => rm(join(project.folder, ".."), { recursive: true, force: true }), 60_000);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("the packed tarball", { timeout: 120_000 }, () => {
  it("is accepted by publint, warnings included", async () => {
    const { stdout } = await exec(bin("publint"), ["--strict", project.tarball], { cwd: root });
    expect(stdout).toContain("All good!");
  });

  it("has types that resolve for ESM", async () => {
    const { stdout } = await exec(bin("attw"), [project.tarball, "--profile", "esm-only"], { cwd: root });
    expect(stdout).toMatch(/node16 \(from ESM\) .*🟢 \(ESM\)/);
  });

  it("holds what runs, and neither sources nor tests", async () => {
    const { stdout } = await exec("tar", ["-tzf", project.tarball]);
    const files = stdout.trim().split("\n");
    expect(files).toContain("package/dist/src/index.js");
    expect(files).toContain("package/dist/src/cli/main.js");
    expect(files).toContain("package/LICENSE");
    expect(files.filter((file) => /^package\/(src|tests|node_modules)\//.test(file))).toEqual([]);
  });

  it("can be imported by its name", async () => {
    const code = 'import * as all from "countersign"; console.log(Object.keys(all).join(" "));';
    const args = ["--input-type=module", "-e", code];
    const { stdout } = await exec(process.execPath, args, { cwd: project.folder });
    expect(stdout.trim().split(" ")).toContain("createApprovalAgent");
  });

  it("gives types to a graph file in an empty project", async () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const args = [tsc, "-p", "tsconfig.json"];
    const { stdout } = await exec(process.execPath, args, { cwd: project.folder }).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout);
    });
    expect(stdout).toBe("");
  });

  it("serves that project", async () => {
    const port = await freePort();
    const server = spawn("npx", ["--no-install", "countersign", "serve", "--port", String(port)], {
      cwd: project.folder,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const output = collect(server);
    try {
      const url = `http://127.0.0.1:${port}`;
      await vi.waitUntil(() => /\[exit|http:\/\//.test(output.text), { timeout: 60_000 });
      expect(output.text).toContain(url);
      const answer = await fetch(`${url}/ok`);
      expect(answer.status).toBe(200);
      const database = await readFile(join(project.folder, ".countersign/state.db"));
      expect(database.subarray(0, 15).toString()).toBe("SQLite format 3");
    } finally {
      await end(server);
    }
  });
});

function collect(child: ChildProcess): { text: string } {
  const output = { text: "" };
  child.stdout?.on("data", (chunk: Buffer) => (output.text += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output.text += chunk.toString()));
  child.on("exit", (code) => (output.text += `\n[exit ${code}]`));
  return output;
}

/** Ends the whole process group: npx and the server that it started. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const gone = once(child, "exit");
  process.kill(-child.pid, "SIGTERM");
  await gone;
}
