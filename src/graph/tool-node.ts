import { setMaxListeners } from "node:events";
import type { BaseMessage } from "@langchain/core/messages";
import {
  END,
  getCurrentTaskInput,
  isCommand,
  type Command as GraphCommand,
  type LangGraphRunnableConfig,
  type Send,
} from "@langchain/langgraph";
import { z } from "zod";
import { needsIdentities, type PolicyOverlay } from "../policy/index.ts";
import { runAgent, type CallModel } from "./agent-node.ts";
import { Entry } from "./entry.ts";
import { pass } from "./gate.ts";
import { gateParts, type GateOptions } from "./gate-parts.ts";
import { markMasks } from "./graph-masks.ts";
import { markNeeds } from "./graph-needs.ts";
import { OrderedMessages } from "./messages.ts";
import { overlaysOf } from "./overlays.ts";
import { isInTask, placeOf } from "./platform.ts";
import { fromAgent, fromTools, type SentCall } from "./routing.ts";
import type { Tool } from "./tool-shelf.ts";

/** The state that the gated nodes work on. */
export interface GatedState {
  messages: BaseMessage[];
  approval_overlays?: PolicyOverlay[];
}

export interface ToolNodeOptions extends GateOptions {
  /** The names under which the nodes are added. Default: `agent` and `tools`. */
  names?: { agent?: string; tools?: string };
}

/** The parts of a gated agent, for a `StateGraph` of one's own. */
export interface GatedTools {
  /** Fields for the state schema: `new StateSchema({ ...gate.state, more })`. */
  state: {
    messages: typeof OrderedMessages;
    approval_overlays: z.ZodType<PolicyOverlay[]>;
  };
  /** The agent's node: closes what earlier turns left open, calls the model, mends what it garbled. */
  agent: (
    callModel: CallModel,
  ) => (state: GatedState, config: LangGraphRunnableConfig) => Promise<Partial<GatedState>>;
  /** The node that runs tools. Behind it and nowhere else are the gate and the tools. */
  tools: (
    sent: SentCall,
    config: LangGraphRunnableConfig,
  ) => Promise<{ messages: BaseMessage[] } | GraphCommand>;
  /** The edge behind the agent. */
  fromAgent: (state: GatedState) => Send[] | string;
  /** The edge behind the tools. */
  fromTools: (state: unknown, config: LangGraphRunnableConfig) => Send[] | string;
}

/**
 * Makes the gated tools node, its edges and the agent's node.
 *
 * @throws {PolicyError} when the policy is not valid for these tools.
 *
 * @example
 * const gate = createToolNode([deleteFile], { policy });
 * const graph = new StateGraph(new StateSchema(gate.state))
 *   .addNode("agent", gate.agent((messages) => model.bindTools([deleteFile]).invoke(messages)))
 *   .addNode("tools", gate.tools)
 *   .addEdge(START, "agent")
 *   .addConditionalEdges("agent", gate.fromAgent, ["agent", "tools", END])
 *   .addConditionalEdges("tools", gate.fromTools, ["tools", "agent"])
 *   .compile({ checkpointer });
 */
export function createToolNode(tools: readonly Tool[], options: ToolNodeOptions = {}): GatedTools {
  const names = { agent: options.names?.agent ?? "agent", tools: options.names?.tools ?? "tools", end: END };
  const { judge, open } = gateParts(tools, options, names.tools);
  const gate: GatedTools = {
    state: {
      messages: OrderedMessages,
      approval_overlays: z.custom<PolicyOverlay[]>().default(() => []),
    },
    agent: (callModel) => async (state, config) => runAgent(await open(), callModel, state, config),
    async tools(sent, config) {
      // All tasks of a step listen to one signal, and Node.js would take more than ten of them for a leak.
      if (config.signal) setMaxListeners(0, config.signal);
      const overlays = [...sent.overlays, ...overlaysOf(config.context)];
      const entry = new Entry(await open(), { ...sent, overlays }, config, placeOf(config));
      const passed = await pass(entry);
      return isCommand(passed) ? passed : { messages: [passed] };
    },
    fromAgent: (state) => fromAgent(state.messages, state.approval_overlays ?? [], judge, names),
    // A state write in the name of this node is of no task: nothing follows it but the agent.
    fromTools: (_state, config) =>
      isInTask(config) ? fromTools(getCurrentTaskInput<SentCall>(config), names) : names.agent,
  };
  markMasks(gate.tools, judge.masks([]));
  markNeeds(gate.tools, needsIdentities(judge.policy([])));
  return gate;
}
