import type { BaseMessage } from "@langchain/core/messages";
import { Command, END, START, StateGraph, StateSchema, type BaseCheckpointSaver } from "@langchain/langgraph";
import {
  ApprovalContextSchema,
  createApprovalAgent,
  createToolNode,
  type ApprovalAgentOptions,
  type ApprovalGraph,
} from "../../src/graph/index.ts";
import type { Approval, Ledger, LedgerEvent } from "../../src/ledger/index.ts";
import { scriptedModel, type ScriptedModel, type Step } from "../../src/models/index.ts";
import type { PolicyInput } from "../../src/policy/index.ts";
import { noEffects, sampleTools, type Effects } from "./sample-tools.ts";
import { inMemory, type OpenStores } from "./stores.ts";

export type { Effects } from "./sample-tools.ts";

/** A graph with a thread of its own, and what can be seen of it from outside. */
export interface Bench {
  graph: ApprovalGraph;
  model: ScriptedModel;
  ledger: Ledger;
  saver: BaseCheckpointSaver;
  effects: Effects;
  config: { configurable: Record<string, unknown> & { thread_id: string } };
  ask: (text: string, more?: Record<string, unknown>) => Promise<State>;
  resume: (answer: unknown, more?: Record<string, unknown>) => Promise<State>;
  /** Enters the graph without input and without an answer. */
  goOn: (more?: Record<string, unknown>) => Promise<State>;
  pending: () => Promise<Approval[]>;
  approvals: () => Promise<Approval[]>;
  events: () => Promise<LedgerEvent[]>;
  /** The same thread with new objects over the same store: what another process, or one after a restart, has. */
  reopened: () => Promise<Bench>;
}

export interface Message {
  content: unknown;
  type: string;
  tool_call_id?: string;
  status?: string;
  artifact?: unknown;
  name?: string;
}

export interface Question {
  id: string;
  value: Record<string, unknown> & { approval: Approval & { refused?: string } };
}

export interface State {
  messages: Message[];
  __interrupt__?: Question[];
}

export type BenchOptions = Partial<ApprovalAgentOptions> & {
  policy?: PolicyInput;
  stores?: OpenStores;
  thread_id?: string;
  /** `false`: the gated nodes in a graph of one's own, which has no door of ours in front. */
  door?: boolean;
};

let threads = 0;

export async function bench(steps: Step[], options: BenchOptions = {}): Promise<Bench> {
  const { stores = inMemory(), thread_id = `thread-${(threads += 1)}`, door = true, ...rest } = options;
  return openBench(steps, { ...rest, stores, thread_id, door }, noEffects());
}

async function openBench(
  steps: Step[],
  options: BenchOptions & { stores: OpenStores; thread_id: string },
  effects: Effects,
): Promise<Bench> {
  const { stores, thread_id, door, ...rest } = options;
  const { saver, ledger } = await stores();
  const model = scriptedModel(steps, { strict: true });
  const all = { model, tools: sampleTools(effects), checkpointer: saver, ledger, ...rest };
  const graph = door === false ? foreignGraph(all) : createApprovalAgent(all);
  const config = { configurable: { thread_id } };
  const invoke = async (
    input: unknown,
    { configurable, ...more }: Record<string, unknown> = {},
  ): Promise<State> =>
    (await graph.invoke(
      input as never,
      {
        ...config,
        durability: "sync",
        ...more,
        configurable: { thread_id, ...(configurable ?? {}) },
      } as never,
    )) as never;
  return {
    ...{ graph, model, ledger, saver, effects, config },
    ask: (text, more) => invoke({ messages: [{ role: "user", content: text }] }, more),
    resume: (answer, more) => invoke(new Command({ resume: answer }), more),
    goOn: (more) => invoke(null, more),
    pending: async () => (await ledger.approvals({ status: "pending", thread_id })).approvals,
    approvals: async () => (await ledger.approvals({ status: "all", thread_id })).approvals,
    events: () => ledger.events({ thread_id }),
    reopened: () => openBench(steps, options, effects),
  };
}

/** The gated nodes in a graph that is compiled without a door. */
export function foreignGraph(options: ApprovalAgentOptions): ApprovalGraph {
  const gate = createToolNode(options.tools, options);
  const model = options.model as ScriptedModel;
  const graph = new StateGraph(new StateSchema(gate.state), ApprovalContextSchema)
    .addNode(
      "agent",
      gate.agent((messages: BaseMessage[], config) => model.invoke(messages, config)),
    )
    .addNode("tools", gate.tools as never)
    .addEdge(START, "agent")
    .addConditionalEdges("agent", gate.fromAgent as never, ["agent", "tools", END])
    .addConditionalEdges("tools", gate.fromTools as never, ["tools", "agent"] as never);
  return graph.compile({ checkpointer: options.checkpointer as BaseCheckpointSaver }) as never;
}

export const call = (name: string, args: Record<string, unknown>, id?: string | null) => ({
  name,
  args,
  ...(id !== undefined && { id }),
});

export const remove = (path: string, id: string) => call("delete_file", { path }, id);

/** The tool messages of a state, by call id. */
export function results(state: State): Record<string, Message> {
  return Object.fromEntries(
    state.messages.filter(({ type }) => type === "tool").map((one) => [one.tool_call_id ?? "", one]),
  );
}

/** The open question of the call. */
export function question(state: State, tool_call_id: string): Question {
  const found = state.__interrupt__?.find(({ value }) => value.approval.tool_call_id === tool_call_id);
  if (found === undefined) throw new Error(`No question is open for ${tool_call_id}.`);
  return found;
}
