import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, beforeAll } from "vitest";

const root = fileURLToPath(new URL("./page", import.meta.url));
const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

type Files = ReadonlyMap<string, string | Uint8Array>;

/** The page's files, bundled from its sources and the published packages. */
async function bundle(): Promise<Files> {
  const built = await build({
    ...{ root, configFile: false, logLevel: "silent", base: "./" },
    build: { write: false, minify: false, modulePreload: false },
  });
  const [bundled] = [built].flat();
  if (!bundled || !("output" in bundled)) throw new Error("The page was not bundled.");
  return new Map(
    bundled.output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source]),
  );
}

async function serve(files: Files): Promise<{ origin: string; stop: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname.slice(1) || "index.html";
    const file = files.get(path);
    response.writeHead(file === undefined ? 404 : 200, {
      "content-type": types[extname(path)] ?? "text/plain",
    });
    response.end(file);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    // Another site than the server's 127.0.0.1, not only another port.
    origin: `http://localhost:${port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The page on two origins, from the first test of a file to its last. */
export function servePage(): { readonly allowed: string; readonly other: string } {
  const origins = { allowed: "", other: "" };
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const files = await bundle();
    for (const name of ["allowed", "other"] as const) {
      const { origin, stop } = await serve(files);
      origins[name] = origin;
      stops.push(stop);
    }
  }, 60_000);
  afterAll(async () => {
    for (const stop of stops) await stop();
  });
  return origins;
}
