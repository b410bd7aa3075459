import { tool } from "@langchain/core/tools";
import { Annotation, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { Client } from "@langchain/langgraph-sdk";
import { createAgent, humanInTheLoopMiddleware, type AgentMiddleware } from "langchain";
import { z } from "zod";
import { scriptedModel, type Step } from "../../src/models/index.ts";
import { bench, call, textOf, type Bench, type BenchOptions, type Json } from "./bench.ts";

/** What the graphs of a test did. */
export class Done {
  readonly paid: unknown[] = [];
  readonly answers: unknown[] = [];
}

const Answers = Annotation.Root({
  answers: Annotation<unknown[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});

/** LangChain's own agent, with its human-in-the-loop middleware. */
export function hitlAgent(
  done: Done,
  steps: readonly Step[],
  allowedDecisions: ("approve" | "edit" | "reject")[] = ["approve", "edit", "reject"],
) {
  const pay = tool(
    (args: { to: string; amount: number }) => {
      done.paid.push(args);
      return `paid ${args.amount} to ${args.to}`;
    },
    { name: "pay", description: "Pays.", schema: z.object({ to: z.string(), amount: z.number() }) },
  );
  // Its own type does not fit its own use under the strictest settings of the compiler.
  const gate: unknown = humanInTheLoopMiddleware({ interruptOn: { pay: { allowedDecisions } } } as never);
  return createAgent({ model: scriptedModel(steps), tools: [pay], middleware: [gate as AgentMiddleware] });
}

export const payment = (...names: string[]): Step => ({
  tool_calls: names.map((to, index) => call("pay", { to, amount: 10 + index }, `c_${to}`)),
});

/** A graph of nodes that all start at once; each asks its own questions, one after the other, and keeps the answers. */
export function asking(done: Done, nodes: Record<string, unknown[]>) {
  const graph = new StateGraph(Answers);
  const begun = Object.entries(nodes).map(([name, questions]) =>
    graph.addNode(name, () => {
      const answers = questions.map((question) => interrupt<unknown, unknown>(question));
      done.answers.push(...answers);
      return { answers };
    }),
  );
  const named = begun.at(-1) as unknown as StateGraph<typeof Answers.spec, never, never, string>;
  for (const name of Object.keys(nodes)) named.addEdge(START, name).addEdge(name, END);
  return named.compile();
}

/** A graph that asks, does something that takes its time, and asks the same again. */
export function askingTwice(done: Done, gate: Promise<void>) {
  return new StateGraph(Answers)
    .addNode("greet", async () => {
      const first = interrupt<string, unknown>("name?");
      done.answers.push(first);
      await gate;
      const second = interrupt<string, unknown>("name?");
      done.answers.push([first, second]);
      return {};
    })
    .addEdge(START, "greet")
    .addEdge("greet", END)
    .compile();
}

/** A graph that asks for a number and throws when it gets something else. */
export function failing(done: Done) {
  return new StateGraph(Answers)
    .addNode("count", () => {
      const answer = Number(interrupt<string, unknown>("how many?"));
      if (Number.isNaN(answer)) throw new Error("That is no number.");
      done.answers.push(answer);
      return { answers: [answer] };
    })
    .addEdge(START, "count")
    .addEdge("count", END)
    .compile();
}

export interface Foreign extends Bench {
  done: Done;
  client: Client;
  /** Begins a run on a new thread and waits until it has stopped. */
  go: (input?: Record<string, unknown>) => Promise<string>;
  /** Answers over the LangGraph API. */
  resume: (thread_id: string, resume: unknown) => ReturnType<Bench["post"]>;
  decide: (approval_id: string, decision: unknown) => ReturnType<Bench["post"]>;
  statusOf: (thread_id: string) => Promise<string>;
  again: () => Promise<Foreign>;
}

/** A server with a graph that is not ours. */
export async function foreign(
  make: (done: Done) => unknown,
  { done = new Done(), ...options }: BenchOptions & { done?: Done } = {},
): Promise<Foreign> {
  return extended(await bench([], { ...options, config: { graphs: { agent: make(done) } } }), make, done);
}

function extended(server: Bench, make: (done: Done) => unknown, done: Done): Foreign {
  const { get, post } = server;
  const client = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } });
  return {
    ...server,
    ...{ done, client },
    async go(input = { messages: [{ role: "user", content: "go" }] }) {
      const { thread_id } = await client.threads.create();
      await client.runs.wait(thread_id, "agent", { input });
      return thread_id;
    },
    resume: (thread_id, resume) =>
      post(`/threads/${thread_id}/runs/wait`, { assistant_id: "agent", command: { resume } }),
    decide: (approval_id, decision) => post(`/approvals/${approval_id}/decision?wait=10`, decision),
    statusOf: async (thread_id) => textOf((await get(`/threads/${thread_id}`)).body["status"]),
    again: async () =>
      extended(await server.restart({ config: { graphs: { agent: make(done) } } }), make, done),
  };
}

/** The last text of a thread's messages. */
export function lastText(values: Json | undefined): string {
  const messages = values?.["messages"] as unknown as { content: string }[];
  return messages.at(-1)?.content ?? "";
}
