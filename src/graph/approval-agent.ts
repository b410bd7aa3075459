import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { END, START, StateGraph, StateSchema, type BaseCheckpointSaver } from "@langchain/langgraph";
import { z } from "zod";
import { loadModel } from "../models/index.ts";
import { openDoor, type ApprovalGraph } from "./door.ts";
import { createToolNode, type ToolNodeOptions } from "./tool-node.ts";
import type { Tool } from "./tool-shelf.ts";

export interface ApprovalAgentOptions extends Omit<ToolNodeOptions, "names"> {
  /** A LangChain chat model, or its name: `rehearsal`, `openai:…`, `anthropic:…`. */
  model: BaseChatModel | string;
  tools: readonly Tool[];
  /** LangGraph's checkpointer. Without one the graph cannot pause, so what needs an approval is `unavailable`. */
  checkpointer?: BaseCheckpointSaver | boolean;
  /** The system prompt. */
  prompt?: string;
}

/** What a run's context may say. A partial policy can only tighten; all is optional, since a resume brings none. */
export const ApprovalContextSchema = z.object({
  policy: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("A partial policy. It can only tighten the graph's own."),
  mode: z.enum(["interactive", "never", "fail_closed"]).optional().describe("A stricter mode for this run."),
});

/**
 * Makes an agent whose risky calls wait for an approval: `agent → tools → agent`.
 *
 * @throws {PolicyError} when the policy is not valid for the tools.
 *
 * @example
 * const graph = createApprovalAgent({ model: "rehearsal", tools: [deleteFile], checkpointer: new MemorySaver() });
 * const config = { configurable: { thread_id: "1" } };
 * await graph.invoke({ messages: [{ role: "user", content: "delete a.txt" }] }, config);   // pauses
 * await decide(graph, config, { apr_…: { type: "approve" } });                                // runs it
 */
export function createApprovalAgent(options: ApprovalAgentOptions): ApprovalGraph {
  const { model, tools, prompt, checkpointer } = options;
  const gate = createToolNode(tools, options);
  const system = prompt === undefined ? [] : [new SystemMessage(prompt)];
  let bound: Promise<{ invoke: BaseChatModel["invoke"] }> | undefined;
  const ready = (): NonNullable<typeof bound> => {
    bound ??= Promise.resolve(typeof model === "string" ? loadModel(model) : model).then((loaded) =>
      bind(loaded, tools),
    );
    // A model that could not be loaded may be tried again, for instance once its key is set.
    bound.catch(() => (bound = undefined));
    return bound;
  };
  const graph = new StateGraph(new StateSchema(gate.state), ApprovalContextSchema)
    .addNode(
      "agent",
      gate.agent(async (messages: BaseMessage[], config) =>
        (await ready()).invoke([...system, ...messages], config),
      ),
    )
    .addNode("tools", gate.tools)
    .addEdge(START, "agent")
    .addConditionalEdges("agent", gate.fromAgent, ["agent", "tools", END])
    .addConditionalEdges("tools", gate.fromTools, ["tools", "agent"]);
  const compiled = graph.compile({ ...(checkpointer !== undefined && { checkpointer }) });
  return openDoor(compiled as never, options);
}

function bind(model: BaseChatModel, tools: readonly Tool[]): { invoke: BaseChatModel["invoke"] } {
  if (tools.length === 0 || model.bindTools === undefined) return model;
  return model.bindTools([...tools]);
}
