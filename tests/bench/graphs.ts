import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  END,
  interrupt,
  MessagesDeltaValue,
  Send,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createApprovalAgent, openStore, scriptedModel, withRisk } from "countersign";
import { z } from "zod";

/** What the benches need of a graph, gated or not. */
export interface Runnable {
  invoke: (input: never, config: never) => Promise<Record<string, unknown>>;
}

export const noteTool = () =>
  tool(({ text }: { text: string }) => `noted ${text}`, {
    name: "note",
    description: "Notes a text.",
    schema: z.object({ text: z.string() }),
  });

/** Every odd answer of the model is a call, every even one a text, however long the thread grows. */
export const model = () =>
  scriptedModel(
    Array.from({ length: 1_000 }, () => (messages: BaseMessage[]) => {
      const last = messages.at(-1);
      if (last && ToolMessage.isInstance(last)) return { content: "done" };
      return { tool_calls: [{ name: "note", args: { text: "x".repeat(80) }, id: `call_${randomUUID()}` }] };
    }),
  );

export function saverIn(folder: string, name: string): SqliteSaver {
  return SqliteSaver.fromConnString(join(folder, name));
}

/** The same agent without a gate: one task a call, a bare `interrupt()` before the tool when `asks`. */
export function bareGraph(asks: boolean, checkpointer?: SqliteSaver): Runnable {
  const note = noteTool();
  const bound = model().bindTools([note]);
  type State = { messages: BaseMessage[] };
  type Sent = { call: { name: string; args: { text: string }; id: string } };
  const graph = new StateGraph(new StateSchema({ messages: MessagesDeltaValue }))
    .addNode("agent", async (state: State) => ({ messages: [await bound.invoke(state.messages)] }))
    .addNode("tools", (async ({ call }: Sent) => {
      if (asks) interrupt({ tool: call.name, args: call.args });
      return { messages: [await note.invoke({ ...call, type: "tool_call" } as never)] };
    }) as never)
    .addEdge(START, "agent")
    .addConditionalEdges(
      "agent",
      (({ messages }: State) => {
        const last = messages.at(-1);
        if (!last || !AIMessage.isInstance(last) || !last.tool_calls?.length) return END;
        return last.tool_calls.map((call) => new Send("tools", { call }));
      }) as never,
      ["tools", END] as never,
    )
    .addEdge("tools", "agent");
  return graph.compile({ ...(checkpointer && { checkpointer }) }).withConfig({ durability: "sync" } as never);
}

/** The same agent gated. Without stores it takes those of the server that it runs in. */
export function gatedGraph(asks: boolean, stores: Partial<Store> = {}): Runnable {
  const { ledger, checkpointer } = stores;
  const risk = withRisk(noteTool(), asks ? "approve" : "auto", { readOnly: false });
  return createApprovalAgent({
    ...{ model: model(), tools: [risk] },
    ...(ledger && { ledger }),
    ...(checkpointer && { checkpointer }),
  });
}

type Store = Awaited<ReturnType<typeof openStore>>;

export const storeIn = (folder: string, name: string): Promise<Store> =>
  openStore(`file:${join(folder, name)}`);

export const input = (): never => ({ messages: [{ role: "user", content: "note something" }] }) as never;
export const thread = (): never => ({ configurable: { thread_id: randomUUID() } }) as never;
