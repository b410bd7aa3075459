import {
  Command,
  interrupt,
  isGraphInterrupt,
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { RemoteGraph } from "@langchain/langgraph/remote";
import { describe, expect, it } from "vitest";
import { bench, remove } from "../server/bench.ts";
import { sdkOf } from "../server/sdk-client.ts";
import { user } from "../server/thread-bench.ts";

const steps = [remove("a"), { content: "done" }, { content: "again" }];
const approve = new Command({ resume: { type: "approve" } });

interface Values {
  messages: { type: string; content: string }[];
}

interface Question {
  id: string;
  value: { type: string; approval: { approval_id: string } };
}

async function remote(script = steps) {
  const server = await bench(script);
  const graph = new RemoteGraph({ graphId: "agent", client: sdkOf(server) });
  const config = { configurable: { thread_id: crypto.randomUUID() } };
  return { server, graph, config };
}

/** What a graph asks when it is invoked. */
async function questions(invoked: Promise<unknown>): Promise<Question[]> {
  try {
    await invoked;
  } catch (error) {
    if (isGraphInterrupt(error)) return error.interrupts as Question[];
    throw error;
  }
  throw new Error("It asked nothing.");
}

describe("a RemoteGraph of an agent that lives here", () => {
  it("is invoked to its question, and from its answer to its end", async () => {
    const { server, graph, config } = await remote();
    const asked = await questions(graph.invoke(user("go"), config));
    const [approval] = await server.pending(config.configurable.thread_id);
    expect(asked).toMatchObject([
      { id: approval!.interrupt_id, value: { approval: { approval_id: approval!.approval_id } } },
    ]);
    const ended = (await graph.invoke(approve, config)) as Values;
    expect(ended.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
    expect(server.effects.deleted).toEqual(["a"]);
  });

  it("is invoked without a thread, where nobody can be asked", async () => {
    const { graph } = await remote([{ content: "hi" }]);
    expect(((await graph.invoke(user("go"))) as Values).messages).toHaveLength(2);
  });

  it("does not run what was rejected", async () => {
    const { server, graph, config } = await remote();
    const [asked] = await questions(graph.invoke(user("go"), config));
    const resume = { [asked!.id]: { type: "reject", message: "no" } };
    const ended = (await graph.invoke(new Command({ resume }), config)) as Values;
    expect(ended.messages.at(-1)?.content).toBe("done");
    expect(server.effects.deleted).toEqual([]);
  });

  it("is streamed, in one mode and in several", async () => {
    const { graph, config } = await remote();
    await questions(drained(await graph.stream(user("go"), { ...config, streamMode: "values" })));
    const streamMode = ["updates", "messages", "custom"] as const;
    const parts = await drained(await graph.stream(approve, { ...config, streamMode: [...streamMode] }));
    const modes = new Set((parts as [string, unknown][]).map(([mode]) => mode));
    expect([...modes]).toEqual(expect.arrayContaining(["updates", "custom"]));
    const updates = (parts as [string, object][]).filter(([mode]) => mode === "updates");
    expect(updates.flatMap(([, update]) => Object.keys(update))).toEqual(["delete_file", "tools", "agent"]);
  });

  it("shows its state with what is open, and its history", async () => {
    const { server, graph, config } = await remote();
    expect(await questions(graph.invoke(user("go"), config))).toHaveLength(1);
    const state = await graph.getState(config, { subgraphs: true });
    expect(state).toMatchObject({ next: ["tools"], config: { configurable: config.configurable } });
    const [approval] = await server.pending();
    expect(state.tasks[0]?.interrupts).toMatchObject([
      { interrupt_id: approval!.interrupt_id, value: { type: "approval_request" } },
    ]);
    await graph.invoke(approve, config);
    const history = await drained(graph.getStateHistory(config, { limit: 2 }));
    expect(history).toMatchObject([{ next: [] }, { next: ["agent"] }]);
    const [, before] = history as { config: { configurable: object } }[];
    expect(await graph.getState(before!.config as never)).toMatchObject({ next: ["agent"] });
  });

  it("has its state written when nothing is open, and goes on from there", async () => {
    const { graph, config } = await remote();
    await questions(graph.invoke(user("go"), config));
    await expect(graph.updateState(config, user("more"), "__start__")).rejects.toThrow(/approval_pending/);
    await graph.invoke(approve, config);
    const written = await graph.updateState(config, user("more"), "__start__");
    expect(written.configurable).toMatchObject({ ...config.configurable, checkpoint_ns: "" });
    const ended = (await graph.invoke(null, config)) as Values;
    expect(ended.messages.map(({ content }) => content).slice(-2)).toEqual(["more", "again"]);
  });

  it("is drawn, and tells of its sub-graphs", async () => {
    const { graph } = await remote();
    const drawn = await graph.getGraphAsync();
    expect(Object.keys(drawn.nodes)).toEqual(expect.arrayContaining(["agent", "tools"]));
    expect(await drained(graph.getSubgraphsAsync())).toEqual([]);
  });

  it("is followed in the newer protocol", async () => {
    const { server, graph, config } = await remote();
    const run = await graph.streamEvents(user("go"), { ...config, version: "v3" });
    const output = (await run.output) as unknown as { messages: unknown[] };
    expect(output.messages).toHaveLength(2);
    expect(run.interrupted).toBe(true);
    expect(await server.pending()).toHaveLength(1);
  });
});

describe("a RemoteGraph that is a node of a local graph", () => {
  /** A local graph of one node, and the thread that both have in common. */
  async function local(nodeOf: (graph: RemoteGraph) => unknown) {
    const { server, graph, config } = await remote();
    const { thread_id: threadId } = config.configurable;
    await sdkOf(server).threads.create({ threadId, graphId: "agent" });
    const parent = new StateGraph(MessagesAnnotation)
      .addNode("remote", nodeOf(graph) as never)
      .addEdge(START, "remote")
      .compile({ checkpointer: new MemorySaver() });
    const invoke = async (input: unknown) =>
      (await parent.invoke(input as never, config)) as unknown as Values & { __interrupt__?: Question[] };
    return { server, graph, invoke, config };
  }

  it("lets its question through, which is answered where it lives", async () => {
    const { server, graph, invoke, config } = await local((graph) => graph);
    const [asked] = (await invoke(user("go"))).__interrupt__ ?? [];
    const [approval] = await server.pending();
    expect(asked?.value.approval.approval_id).toBe(approval!.approval_id);
    expect(approval).toMatchObject({ thread_id: config.configurable.thread_id });
    // RemoteGraph hands no answer on: it would send its input again, which is refused while the question is open.
    await expect(invoke(new Command({ resume: { type: "approve" } }))).rejects.toThrow(/approval_pending/);
    expect(server.effects.deleted).toEqual([]);
    await graph.invoke(approve, config);
    expect(server.effects.deleted).toEqual(["a"]);
  });

  it("gets the answer of its parent from a node that hands it on", async () => {
    const { server, invoke } = await local(
      (graph) => async (state: object, config: LangGraphRunnableConfig) => {
        const { thread_id } = config.configurable as { thread_id: string };
        const { tasks } = await graph.getState({ configurable: { thread_id } });
        const [open] = tasks.flatMap(({ interrupts }) => interrupts);
        const answer = (): Command => new Command({ resume: interrupt<unknown, unknown>(open?.value) });
        return graph.invoke(open ? answer() : state, config) as Promise<Values>;
      },
    );
    expect((await invoke(user("go"))).__interrupt__).toHaveLength(1);
    const ended = await invoke(new Command({ resume: { type: "approve" } }));
    expect(ended.__interrupt__).toBeUndefined();
    expect(ended.messages.map(({ content }) => content)).toEqual(["go", "", "deleted a", "done"]);
    expect(server.effects.deleted).toEqual(["a"]);
  });
});

async function drained(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const item of items) all.push(item);
  return all;
}
