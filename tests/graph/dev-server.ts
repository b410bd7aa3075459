import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A `langgraphjs dev` that serves this repository's `langgraph.json`. */
export interface DevServer {
  url: string;
  /** The folder that the bundled agent works in. */
  workspace: string;
  stop: () => Promise<void>;
}

/**
 * Starts the development server of LangGraph on a copy of this repository's graphs, with the package as its sources are,
 * or on what `prepare` puts into its folder.
 */
export async function startDevServer(prepare = copyProject): Promise<DevServer> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-dev-"));
  const workspace = join(folder, "workspace");
  prepare(folder);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const cli = join(root, "node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs");
  const args = [cli, "dev", "--no-browser", "--no-reload", "--host", "127.0.0.1", "--port", String(port)];
  const env = {
    ...process.env,
    COUNTERSIGN_WORKSPACE: workspace,
    COUNTERSIGN_STORE: `file:${join(folder, "state.db")}`,
  };
  // A group of its own, so that the servers it starts in turn end with it.
  const server = spawn(process.execPath, args, {
    cwd: folder,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [server.stdout, server.stderr])
    stream.on("data", (text: Buffer) => (output += text.toString()));
  const stop = async (): Promise<void> => {
    await killGroup(server);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await untilReady(url, server);
  } catch (error) {
    await stop();
    throw new Error(`${(error as Error).message}\n${output.slice(-4_000)}`, { cause: error });
  }
  return { url, workspace, stop };
}

function copyProject(folder: string): void {
  cpSync(join(root, "langgraph.json"), join(folder, "langgraph.json"));
  cpSync(join(root, "graphs"), join(folder, "graphs"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "countersign"), { recursive: true });
  symlinkSync(join(root, "node_modules/@langchain"), join(modules, "@langchain"));
  const manifest = { name: "countersign", type: "module", exports: "./index.ts" };
  writeFileSync(join(modules, "countersign/package.json"), JSON.stringify(manifest));
  writeFileSync(
    join(modules, "countersign/index.ts"),
    `export * from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)};\n`,
  );
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function untilReady(url: string, server: ChildProcess): Promise<void> {
  for (const end = Date.now() + 90_000; Date.now() < end; await setTimeout(200)) {
    if (server.exitCode !== null) throw new Error(`The development server ended with ${server.exitCode}.`);
    const isUp = await fetch(`${url}/ok`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
  }
  throw new Error("The development server did not answer.");
}

async function killGroup(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once("close", resolve));
  try {
    process.kill(-(server.pid ?? 0), "SIGKILL");
  } catch {
    // It has ended already.
  }
  if (server.exitCode === null && server.signalCode === null) await ended;
}
