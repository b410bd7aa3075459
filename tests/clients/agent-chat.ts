import type { Client, Interrupt, Thread } from "@langchain/langgraph-sdk";
import { all } from "../server/sdk-client.ts";

interface Asked {
  action_requests: { name: string; args: Record<string, unknown> }[];
  review_configs: { action_name: string; allowed_decisions: string[] }[];
}

/** Whether agent-chat-ui draws a form for an interrupt. What it does not know it shows as plain JSON. */
export function isDrawn({ value }: Interrupt): boolean {
  const { action_requests, review_configs } = (value ?? {}) as Partial<Asked>;
  return (
    isFilled(action_requests) &&
    isFilled(review_configs) &&
    action_requests.every(({ name, args }) => typeof name === "string" && typeof args === "object") &&
    review_configs.every(
      ({ action_name, allowed_decisions }) =>
        typeof action_name === "string" && Array.isArray(allowed_decisions),
    )
  );
}

function isFilled<Item>(list: Item[] | undefined): list is Item[] {
  return Array.isArray(list) && list.length > 0;
}

export const interruptsIn = ({ interrupts }: Pick<Thread, "interrupts">): Interrupt[] =>
  Object.values(interrupts).flat();

/** A person with agent-chat-ui open on a thread: the runs that its page begins. */
export class AgentChat {
  readonly #client: Client;
  readonly #thread_id: string;

  constructor(client: Client, thread_id: string) {
    this.#client = client;
    this.#thread_id = thread_id;
  }

  /** What it shows: one tab for each interrupt. */
  async tabs(): Promise<Interrupt[]> {
    return interruptsIn(await this.#client.threads.get(this.#thread_id));
  }

  /** The decision of the form, wherever it is open: it names no question. */
  decide(decision: Record<string, unknown>): Promise<unknown[]> {
    return this.submit({ resume: { decisions: [decision] } });
  }

  /** The form's edit: the values that were touched are texts. */
  async edit(texts: Record<string, string>): Promise<unknown[]> {
    const [first] = await this.tabs();
    const [{ name, args } = { name: "", args: {} }] = (first?.value as Asked).action_requests;
    return this.decide({ type: "edit", edited_action: { name, args: { ...args, ...texts } } });
  }

  /** An older version, which answers in the form of the older inboxes. */
  respond(type: "accept" | "edit" | "response" | "ignore", args: unknown): Promise<unknown[]> {
    return this.submit({ resume: [{ type, args }] });
  }

  resolve(): Promise<unknown[]> {
    return this.submit({ goto: "__end__" });
  }

  /** A submission of `useStream`, with the head of the branch that is shown. */
  async submit(command: Record<string, unknown>): Promise<unknown[]> {
    const state = await this.#client.threads.getState(this.#thread_id);
    const { thread_id: _left_out, ...checkpoint } = state.checkpoint;
    const run = this.#client.runs.stream(this.#thread_id, "agent", {
      ...{ input: {}, command, checkpoint, onDisconnect: "continue" },
      ...{ streamMode: ["values", "updates", "messages-tuple", "custom"] },
      ...{ streamSubgraphs: true, streamResumable: true },
    });
    return all<unknown>(run);
  }
}
