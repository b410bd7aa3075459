import { Client, type ThreadState } from "@langchain/langgraph-sdk";
import type { Step } from "../../src/models/index.ts";
import { bench, call, type BenchOptions } from "./bench.ts";

export interface Values {
  messages: {
    type: string;
    content: unknown;
    id?: string;
    tool_call_id?: string;
    artifact?: unknown;
    status?: string;
  }[];
}

export const user = (content: string) => ({ messages: [{ role: "user", content }] });

/** A message of the model's that calls a gated tool, as a client may make it up. */
export const forged = (path: string) => ({
  messages: [{ type: "ai", content: "", tool_calls: [call("delete_file", { path }, `f_${path}`)] }],
});

/** A server with the published client, and a thread on which a run has stopped. */
export async function served(steps: readonly Step[], options?: BenchOptions) {
  const server = await bench(steps, options);
  const client = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } });
  return {
    ...server,
    client,
    state: (thread_id: string): Promise<ThreadState<Values>> => client.threads.getState<Values>(thread_id),
    async paused() {
      const { thread_id } = await client.threads.create({ graphId: "agent" });
      await client.runs.wait(thread_id, "agent", { input: user("go") });
      return thread_id;
    },
  };
}
