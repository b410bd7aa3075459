import { CliError } from "../cli-error.ts";
import type { Client } from "../client.ts";
import type { WireThread } from "./wire-types.ts";

/** The thread of a chat and the graph that it is with. */
export interface OpenedThread {
  thread: WireThread;
  graph: string;
  isNew: boolean;
}

/** Opens the thread that is named, or a new one. @throws {CliError} when there is no such thread or graph. */
export async function openThread(
  client: Client,
  { thread: thread_id, graph }: { thread?: string; graph?: string },
): Promise<OpenedThread> {
  if (thread_id === undefined) {
    const chosen = graph ?? "agent";
    await requireGraph(client, chosen);
    const body = { metadata: { graph_id: chosen } };
    const thread = await client.send<WireThread>("/threads", { method: "POST", body });
    return { thread, graph: chosen, isNew: true };
  }
  const thread = await client.send<WireThread>(`/threads/${encodeURIComponent(thread_id)}`);
  const kept = thread.metadata?.["graph_id"];
  const chosen = graph ?? (typeof kept === "string" ? kept : "agent");
  await requireGraph(client, chosen);
  return { thread, graph: chosen, isNew: false };
}

/** Finds out before the first message whether the server has a graph. */
async function requireGraph(client: Client, graph: string): Promise<void> {
  const { graphs } = await client.send<{ graphs?: string[] }>("/info");
  if (graphs === undefined || graphs.includes(graph)) return;
  const names = graphs.join(", ");
  const detail = `The server at ${client.url} has no graph "${graph}". Choose one with --graph; there are: ${names}.`;
  throw new CliError({ title: "No graph", code: "graph_not_found", detail });
}
