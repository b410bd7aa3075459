import { randomUUID } from "node:crypto";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer as listen, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { createEmbedServer } from "@langchain/langgraph-api/experimental/embed";
import { createServer } from "countersign";
import { startDevServer } from "../graph/dev-server.ts";
import { bareGraph, gatedGraph, saverIn } from "./graphs.ts";

/** A server that is measured: the same tool behind each, asked about before it runs. */
export interface Measured {
  url: string;
  stop: () => Promise<void>;
}

/** This server: the gated agent, and a ledger, runs and threads beside the checkpoints. */
export async function startOurs(folder: string): Promise<Measured> {
  const store = `file:${join(folder, `ours-${randomUUID()}.db`)}`;
  const config = { graphs: { agent: gatedGraph(true) } };
  const server = await createServer({ config, store, port: 0 });
  const { url } = await server.start();
  return { url, stop: () => server.stop() };
}

/** LangGraph's embedded server: the bare graph with SqliteSaver, threads in memory. */
export async function startEmbed(folder: string): Promise<Measured> {
  const checkpointer = saverIn(folder, `embed-${randomUUID()}.db`);
  const threads = new Map<string, Record<string, unknown>>();
  const app = createEmbedServer({
    graph: { agent: bareGraph(true, checkpointer) as never },
    checkpointer,
    threads: {
      get: async (id: string) => threads.get(id) ?? {},
      set: async (id: string, { metadata }: { metadata?: Record<string, unknown> }) => {
        const thread = { thread_id: id, metadata: metadata ?? {} };
        threads.set(id, thread);
        return thread;
      },
      delete: async (id: string) => void threads.delete(id),
    } as never,
  });
  const listener = getRequestListener(app.fetch);
  const server = listen((request, response) => void listener(request, response));
  return { url: await opened(server), stop: () => closed(server) };
}

/** `langgraphjs dev`, a process of its own: the bare graph with the checkpointer that it brings. */
export function startDev(): Promise<Measured> {
  return startDevServer((folder) => {
    const graphs = new URL("./graphs.ts", import.meta.url).href;
    writeFileSync(
      join(folder, "agent.ts"),
      `import { bareGraph } from ${JSON.stringify(graphs)};\nexport const agent = bareGraph(true);\n`,
    );
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "langgraph.json"), '{ "graphs": { "agent": "./agent.ts:agent" } }');
    const modules = fileURLToPath(new URL("../../node_modules/@langchain", import.meta.url));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(modules, join(folder, "node_modules/@langchain"));
  });
}

function opened(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });
}
