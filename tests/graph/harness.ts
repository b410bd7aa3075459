import { tool } from "@langchain/core/tools";
import { Command, MemorySaver, type BaseCheckpointSaver } from "@langchain/langgraph";
import { z } from "zod";
import { createApprovalAgent, withRisk, type ApprovalAgentOptions, type ApprovalGraph } from "../../src/graph/index.ts";
import { openLedger, type Approval, type Ledger } from "../../src/ledger/index.ts";
import { scriptedModel, type Step } from "../../src/models/index.ts";
import type { PolicyInput } from "../../src/policy/index.ts";

/** Counts what tools did, so that a test can say what had an effect. */
export interface Effects {
  deleted: string[];
  read: string[];
}

export function sampleTools(effects: Effects) {
  const remove = tool(
    ({ path }: { path: string }) => {
      effects.deleted.push(path);
      return `deleted ${path}`;
    },
    { name: "delete_file", description: "Deletes a file.", schema: z.object({ path: z.string().min(1) }) },
  );
  const read = tool(
    ({ path }: { path: string }) => {
      effects.read.push(path);
      return `contents of ${path}`;
    },
    { name: "read_file", description: "Reads a file.", schema: z.object({ path: z.string() }) },
  );
  return [withRisk(remove, "approve"), withRisk(read, "auto", { readOnly: true })];
}

export interface Bench {
  graph: ApprovalGraph;
  ledger: Ledger;
  effects: Effects;
  config: { configurable: { thread_id: string } };
  ask: (text: string) => Promise<State>;
  resume: (answer: unknown) => Promise<State>;
  pending: () => Promise<Approval[]>;
}

export interface State {
  messages: { content: unknown; type: string; tool_call_id?: string; status?: string; artifact?: unknown }[];
  __interrupt__?: { id: string; value: Record<string, unknown> & { approval: Approval & { refused?: string } } }[];
}

let threads = 0;

export async function bench(
  steps: Step[],
  options: Partial<ApprovalAgentOptions> & { policy?: PolicyInput; saver?: BaseCheckpointSaver } = {},
): Promise<Bench> {
  const effects: Effects = { deleted: [], read: [] };
  const ledger = options.ledger ?? (await openLedger("memory:"));
  const { saver, ...rest } = options;
  const graph = createApprovalAgent({
    model: scriptedModel(steps, { strict: true }),
    tools: sampleTools(effects),
    checkpointer: saver ?? new MemorySaver(),
    ledger,
    ...rest,
  });
  const config = { configurable: { thread_id: `thread-${(threads += 1)}` } };
  const invoke = async (input: unknown): Promise<State> => (await graph.invoke(input as never, config)) as never;
  return {
    ...{ graph, ledger, effects, config },
    ask: (text) => invoke({ messages: [{ role: "user", content: text }] }),
    resume: (answer) => invoke(new Command({ resume: answer })),
    pending: async () =>
      (await ledger.approvals({ status: "pending", thread_id: config.configurable.thread_id })).approvals,
  };
}

export const call = (name: string, args: Record<string, unknown>, id?: string) => ({ name, args, ...(id && { id }) });
