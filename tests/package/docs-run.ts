import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** The address that the pages show; each page is run on a free port of its own. */
const shownAddress = /\b(127\.0\.0\.1|localhost):4100\b/g;

/** What a reader has who follows one page: a fresh checkout, `countersign` on the path, and perhaps a server. */
export interface Reader {
  /** Runs shell lines where the last ones ended: the same folder, the same variables. */
  run(code: string): Promise<{ code: number; output: string }>;
  /** Starts the server of the checkout, unless it runs already. */
  serve(): Promise<void>;
  close(): Promise<void>;
}

export async function newReader(): Promise<Reader> {
  const scratch = mkdtempSync(join(tmpdir(), "countersign-docs-"));
  const checkout = join(scratch, "countersign");
  const port = await freePort();
  checkOut(checkout);
  const main = join(root, "dist/src/cli/main.js");
  const shim = `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`;
  writeFileSync(join(scratch, "countersign-bin"), shim, { mode: 0o755 });
  cpSync(join(scratch, "countersign-bin"), join(scratch, "bin/countersign"));

  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(COUNTERSIGN|VITEST|NODE_ENV|NODE_OPTIONS)/.test(name),
  );
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(kept),
    PATH: [join(scratch, "bin"), process.env["PATH"]].join(delimiter),
    NO_COLOR: "1",
    COUNTERSIGN_PORT: String(port),
    COUNTERSIGN_URL: `http://127.0.0.1:${port}`,
  };
  const state = join(scratch, "state.sh");
  writeFileSync(state, "");
  let server: ChildProcess | undefined;

  return {
    async run(code) {
      const lines = code.replaceAll(shownAddress, `$1:${port}`);
      const script = `. "${state}"; cd "$PWD"; set -a -eo pipefail; trap 'export -p >"${state}"' EXIT\n${lines}`;
      const child = spawn("bash", ["-c", script], {
        cwd: checkout,
        env,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const output = collect(child);
      const [status] = (await once(child, "exit")) as [number | null];
      await endGroup(child);
      return { code: status ?? 1, output: output.text.replaceAll(`:${port}`, ":4100") };
    },
    async serve() {
      if (server) return;
      server = spawn(process.execPath, [main, "serve"], {
        cwd: checkout,
        env,
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      const output = collect(server);
      while (!(await isUp(port))) {
        if (server.exitCode !== null) throw new Error(`The server ended at once:\n${output.text}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async close() {
      if (server) await endGroup(server);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** What a clone holds after `npm ci`. The pages may change it, so that only what nobody edits is a link. */
function checkOut(folder: string): void {
  for (const name of ["package.json", "langgraph.json", "graphs", "docs", "README.md"]) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  for (const name of ["node_modules", "dist", "src"]) symlinkSync(join(root, name), join(folder, name));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function isUp(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/ok`).then(
    (answer) => answer.ok,
    () => false,
  );
}

function collect(child: ChildProcess): { text: string } {
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => (output.text += chunk.toString()));
  }
  return output;
}

/** Ends a process and whatever it left running, and waits until its output is closed. */
async function endGroup(child: ChildProcess): Promise<void> {
  const closed = child.stdout?.closed ? undefined : once(child, "close");
  try {
    process.kill(-(child.pid ?? 0), "SIGTERM");
  } catch {
    // Nothing of it is left, which is the usual case.
  }
  await closed;
}
