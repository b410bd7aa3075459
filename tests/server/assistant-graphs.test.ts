import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  Annotation,
  entrypoint,
  MessagesAnnotation,
  MessagesZodMeta,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { withLangGraph } from "@langchain/langgraph/zod";
import { RemoteGraph } from "@langchain/langgraph/remote";
import { Client } from "@langchain/langgraph-sdk";
import { createAgent, humanInTheLoopMiddleware, type AgentMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { scriptedModel } from "../../src/models/index.ts";
import { agent, bench, Effects } from "./bench.ts";

const Text = Annotation.Root({ text: Annotation<string>, parts: Annotation<string[]> });
const inner = new StateGraph(Text)
  .addNode("deep", () => ({}))
  .addNode("deeper", () => ({}))
  .addEdge(START, "deep")
  .addEdge("deep", "deeper")
  .compile();
const plain = new StateGraph(Text).addNode("child", inner).addEdge(START, "child").compile();
const chat = new StateGraph(MessagesAnnotation)
  .addNode("say", () => ({}))
  .addEdge(START, "say")
  .compile();
const Dated = z.object({
  text: z.string(),
  at: z.date().optional(),
  messages: withLangGraph(z.custom<BaseMessage[]>(), MessagesZodMeta),
});
const withDate = new StateGraph(Dated)
  .addNode("say", () => ({}))
  .addEdge(START, "say")
  .compile();
const pay = tool(() => "paid", { name: "pay", description: "Pays.", schema: z.object({ to: z.string() }) });
const review = humanInTheLoopMiddleware({ interruptOn: { pay: true } } as never);
const hitl = createAgent({
  model: scriptedModel([{ content: "done" }]),
  tools: [pay],
  contextSchema: z.object({ user: z.string().optional(), mode: z.string().optional() }),
  middleware: [review as AgentMiddleware],
});
const sum = entrypoint("sum", async (numbers: number[]) => numbers.length);

async function connected() {
  const graphs = {
    ...{ agent: agent(new Effects(), []), plain, chat, hitl, sum },
    ...{
      withDate,
      made: ({ configurable }: { configurable: { deep?: boolean } }) => (configurable.deep ? plain : inner),
    },
  };
  const server = await bench([], { config: { graphs } });
  const client = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } });
  return { ...server, assistants: client.assistants };
}

describe("the schemas of an assistant", () => {
  it("are those that the graph declares, with the policy in the context", async () => {
    const { assistants } = await connected();
    const schemas = await assistants.getSchemas("agent");
    expect(schemas).toMatchObject({
      graph_id: "agent",
      input_schema: { properties: { messages: { langgraph_type: "messages" } } },
      state_schema: { properties: { messages: { langgraph_type: "messages" } } },
      context_schema: {
        properties: { policy: { type: "object" }, mode: { enum: ["interactive", "never", "fail_closed"] } },
      },
    });
    expect(schemas.config_schema).toEqual(schemas.context_schema);
  });

  it("are those of an agent of LangChain with its middleware", async () => {
    const { assistants } = await connected();
    expect(await assistants.getSchemas("hitl")).toMatchObject({
      graph_id: "hitl",
      input_schema: { properties: { messages: { langgraph_type: "messages" } } },
      context_schema: { properties: { user: { type: "string" } } },
    });
  });

  it("name the fields of a graph whose state is no schema", async () => {
    const { assistants } = await connected();
    const fields = { type: "object", properties: { text: {}, parts: {} } };
    expect(await assistants.getSchemas("plain")).toEqual({
      ...{ graph_id: "plain", input_schema: fields, output_schema: fields, state_schema: fields },
      ...{ context_schema: null, config_schema: null },
    });
    expect(await assistants.getSchemas("chat")).toMatchObject({
      input_schema: { properties: { messages: { langgraph_type: "messages" } } },
    });
  });

  it("leave out what JSON has no word for", async () => {
    const { assistants } = await connected();
    const properties = { text: { type: "string" }, at: {}, messages: { langgraph_type: "messages" } };
    expect(await assistants.getSchemas("withDate")).toMatchObject({
      ...{ input_schema: { properties }, state_schema: { properties, required: ["text", "messages"] } },
    });
    expect(await assistants.getSchemas("sum")).toMatchObject({ input_schema: null, context_schema: null });
  });
});

describe("the graph of an assistant", () => {
  it("is drawn as nodes and edges, in JSON", async () => {
    const { assistants } = await connected();
    const { nodes, edges } = await assistants.getGraph("agent");
    expect(nodes.map(({ id }) => id)).toEqual(["__start__", "agent", "tools", "__end__"]);
    expect(nodes[1]).toMatchObject({ type: "runnable", data: { name: "agent" } });
    expect(edges).toContainEqual({ source: "agent", target: "tools", conditional: true });
    expect((await assistants.getGraph("hitl")).nodes.map(({ id }) => id)).toContain("tools");
    const drawn = (await assistants.getGraph("sum")).nodes;
    expect(drawn.map(({ data }) => (data as { name?: string }).name)).toContain("sum");
  });

  it("shows the graphs in it as deep as it is asked to", async () => {
    const { assistants, get } = await connected();
    const ids = async (xray?: boolean | number) =>
      (await assistants.getGraph("plain", xray === undefined ? {} : { xray })).nodes.map(({ id }) => id);
    expect(await ids()).toEqual(["__start__", "child", "__end__"]);
    expect(await ids(false)).toEqual(["__start__", "child", "__end__"]);
    expect(await ids(true)).toContain("child:deep");
    expect(await ids(1)).toContain("child:deep");
    expect((await get("/assistants/plain/graph?xray=much")).status).toBe(422);
  });

  it("is the one that is made for the assistant's own configuration", async () => {
    const { assistants } = await connected();
    const { assistant_id } = await assistants.create({
      graphId: "made",
      config: { configurable: { deep: true } },
    });
    expect((await assistants.getGraph("made")).nodes.map(({ id }) => id)).toContain("deep");
    expect((await assistants.getGraph(assistant_id)).nodes.map(({ id }) => id)).toContain("child");
  });

  it("tells the graphs in it by namespace, with their schemas", async () => {
    const { assistants } = await connected();
    const all = await assistants.getSubgraphs("plain", { recurse: true });
    expect(all).toMatchObject({ child: { graph_id: "plain", state_schema: { properties: { text: {} } } } });
    expect(await assistants.getSubgraphs("plain", { namespace: "child" })).toEqual(all);
    expect(await assistants.getSubgraphs("plain", { namespace: "other" })).toEqual({});
    expect(await assistants.getSubgraphs("agent")).toEqual({});
  });

  it("can be drawn from afar by LangGraph's RemoteGraph", async () => {
    const { url } = await connected();
    const remote = new RemoteGraph({ graphId: "plain", url });
    const drawn = await remote.getGraphAsync({ xray: true });
    expect(Object.keys(drawn.nodes)).toContain("child:deep");
    const names: string[] = [];
    for await (const [name] of remote.getSubgraphsAsync()) names.push(name);
    expect(names).toEqual(["child"]);
  });

  it("is refused for an assistant that is not here", async () => {
    const { get } = await connected();
    for (const what of ["graph", "schemas", "subgraphs"])
      expect((await get(`/assistants/nobody/${what}`)).body).toMatchObject({ code: "graph_not_found" });
    expect((await get("/assistants/0d2f6d3e-6b0e-4c56-9b86-4b1f0f0f0f0f/schemas")).body).toMatchObject({
      code: "assistant_not_found",
    });
  });
});

describe("an assistant of a graph without a gate", () => {
  it("may mean by `mode` and `policy` what it likes", async () => {
    const { assistants } = await connected();
    const context = { mode: "fast", policy: "refunds" };
    expect(await assistants.create({ graphId: "hitl", context })).toMatchObject({ context });
  });
});
