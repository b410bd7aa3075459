import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { createApprovalAgent, withRisk } from "../../src/graph/index.ts";
import { scriptedModel, type Step } from "../../src/models/index.ts";
import type { PolicyInput } from "../../src/policy/index.ts";
import { foreign, hitlAgent, payment, type Done, type Foreign } from "../server/foreign.ts";

/** Our own agent with the tool that the agents of others have as well: it pays. */
export function ourAgent(done: Done, steps: readonly Step[], policy?: PolicyInput) {
  const pay = tool(
    (args: { to: string; amount: number }) => {
      done.paid.push(args);
      return `paid ${args.amount} to ${args.to}`;
    },
    { name: "pay", description: "Pays.", schema: z.object({ to: z.string(), amount: z.number() }) },
  );
  return createApprovalAgent({
    model: scriptedModel(steps),
    tools: [withRisk(pay, "approve")],
    ...(policy && { policy }),
  });
}

/** Our own agent with a payment that is begun and fails. */
export function failingAgent(begun: unknown[]) {
  const pay = tool(
    (args: { to: string; amount: number }) => {
      begun.push(args);
      throw new Error("The bank is closed.");
    },
    { name: "pay", description: "Pays.", schema: z.object({ to: z.string(), amount: z.number() }) },
  );
  const model = scriptedModel([payment("ann"), { content: "done" }]);
  return createApprovalAgent({ model, tools: [withRisk(pay, "approve")] });
}

export const oneByOne: PolicyInput = { version: 1, review: { ask: "one-by-one" } };
export const together: PolicyInput = { version: 1 };

/** A server with our agent, which was told to pay. */
export function ours(names: string[], policy = oneByOne): Promise<Foreign> {
  return foreign((done) => ourAgent(done, [payment(...names), { content: "done" }], policy));
}

/** A server with LangChain's agent and its human-in-the-loop middleware, which was told to pay. */
export function langchains(names: string[]): Promise<Foreign> {
  return foreign((done) => hitlAgent(done, [payment(...names), { content: "done" }]));
}
