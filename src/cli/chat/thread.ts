import type { Client } from "../client.ts";
import type { WireThread } from "./wire-types.ts";

/** The thread of a chat and the graph that it is with. */
export interface OpenedThread {
  thread: WireThread;
  graph: string;
  isNew: boolean;
}

/** Opens the thread that is named, or a new one. @throws {CliError} when there is no such thread. */
export async function openThread(
  client: Client,
  { thread: thread_id, graph }: { thread?: string; graph?: string },
): Promise<OpenedThread> {
  if (thread_id === undefined) {
    const chosen = graph ?? "agent";
    const body = { metadata: { graph_id: chosen } };
    const thread = await client.send<WireThread>("/threads", { method: "POST", body });
    return { thread, graph: chosen, isNew: true };
  }
  const thread = await client.send<WireThread>(`/threads/${encodeURIComponent(thread_id)}`);
  const kept = thread.metadata?.["graph_id"];
  return { thread, graph: graph ?? (typeof kept === "string" ? kept : "agent"), isNew: false };
}
