import { randomUUID } from "node:crypto";
import { createServer as listen, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { createEmbedServer } from "@langchain/langgraph-api/experimental/embed";
import { createServer } from "countersign";
import { bareGraph, gatedGraph, input, ledgerIn, saverIn } from "./graphs.ts";
import { alternate, timed, type Figures } from "./stats.ts";

/** From a decision posted to the run stopped again: `createEmbedServer` with SqliteSaver against this server. */
export async function overHttp(folder: string, rounds: number): Promise<{ embed: Figures; ours: Figures }> {
  const stock = await startEmbed(folder);
  const ours = await startOurs(folder);
  const [embed, mine] = await alternate(rounds, 10, stock.round, ours.round);
  await stock.stop();
  await ours.stop();
  return { embed, ours: mine };
}

interface Side {
  round: () => Promise<number>;
  stop: () => Promise<void>;
}

async function startEmbed(folder: string): Promise<Side> {
  const checkpointer = saverIn(folder, "embed.db");
  const threads = new Map<string, Record<string, unknown>>();
  const app = createEmbedServer({
    graph: { agent: bareGraph(checkpointer, true) as never },
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
  const url = await opened(server);
  return {
    async round() {
      const thread_id = randomUUID();
      await post(`${url}/threads`, { thread_id });
      const body = (command: object) => ({ assistant_id: "agent", stream_mode: ["values"], ...command });
      const paused = await post(`${url}/threads/${thread_id}/runs/stream`, body({ input: input() }));
      const id = /"__interrupt__":\[\{"id":"([0-9a-f]+)"/.exec(paused)?.[1];
      if (id === undefined) throw new Error(`No interrupt in: ${paused.slice(-400)}`);
      const resume = { [id]: { type: "approve" } };
      return timed(() => post(`${url}/threads/${thread_id}/runs/stream`, body({ command: { resume } })));
    },
    stop: () => closed(server),
  };
}

async function startOurs(folder: string): Promise<Side> {
  const store = `file:${join(folder, "server.db")}`;
  const ledger = await ledgerIn(folder, "unused.db");
  const agent = gatedGraph(saverIn(folder, "unused.db"), ledger, true, { own: false });
  const server = await createServer({ config: { graphs: { agent: agent } }, store, port: 0 });
  const { url } = await server.start();
  return {
    async round() {
      const thread_id = randomUUID();
      await post(`${url}/threads`, { thread_id });
      const paused = await post(`${url}/threads/${thread_id}/runs/wait`, {
        assistant_id: "agent",
        input: input(),
      });
      const id = /"approval_id":"(apr_[0-9a-f]+)"/.exec(paused)?.[1];
      if (id === undefined) throw new Error(`No approval in: ${paused.slice(-400)}`);
      return timed(() => post(`${url}/approvals/${id}/decision?wait=30`, { type: "approve" }));
    },
    async stop() {
      await server.stop();
      await ledger.close();
    },
  };
}

async function post(url: string, body: unknown): Promise<string> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} from ${url}: ${text.slice(0, 400)}`);
  return text;
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
