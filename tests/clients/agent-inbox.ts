import type { Client, Interrupt, Thread } from "@langchain/langgraph-sdk";
import { all } from "../server/sdk-client.ts";

/** What Agent Inbox makes of an interrupt before it draws it. */
export interface Drawn {
  action: string;
  args: Record<string, unknown>;
  allows: { accept: boolean; edit: boolean; respond: boolean };
  description: string | undefined;
  /** Whether it was asked in LangChain's way, which is answered in `decisions`. */
  isHitl: boolean;
}

interface Shown {
  action_requests?: { name: string; args?: Record<string, unknown>; description?: string }[];
  review_configs?: { allowed_decisions: string[] }[];
  action_request?: { action: string; args: Record<string, unknown> };
  config?: Record<string, boolean>;
  description?: string;
}

/** Reads a thread's first interrupt as Agent Inbox does: first in LangChain's form, then in its own. */
export function drawn({ interrupts }: Pick<Thread, "interrupts">): Drawn | undefined {
  const [first] = Object.values<Interrupt[]>(interrupts);
  const value = first?.[0]?.value;
  const one = (Array.isArray(value) ? value[0] : value) as Shown | undefined;
  const request = one?.action_requests?.[0];
  if (request) {
    const allowed = one?.review_configs?.[0]?.allowed_decisions ?? [];
    return {
      ...{ action: request.name, args: request.args ?? {}, description: request.description, isHitl: true },
      allows: {
        ...{ accept: allowed.includes("approve"), edit: allowed.includes("edit") },
        respond: allowed.includes("reject"),
      },
    };
  }
  if (!one?.action_request || !one.config) return undefined;
  const { allow_accept, allow_edit, allow_respond } = one.config;
  return {
    ...{ ...one.action_request, description: one.description, isHitl: false },
    allows: { accept: allow_accept === true, edit: allow_edit === true, respond: allow_respond === true },
  };
}

export interface HumanResponse {
  type: "accept" | "edit" | "response" | "ignore";
  args: unknown;
}

/** A person with Agent Inbox open: the requests that it sends, in their order. */
export class AgentInbox {
  readonly #client: Client;
  readonly #isOlder: boolean;

  /** @param isOlder whether it is a version that answers in its own form however it was asked. */
  constructor(client: Client, isOlder = false) {
    this.#client = client;
    this.#isOlder = isOlder;
  }

  /** The threads of its list. */
  async list(): Promise<Thread[]> {
    const metadata = { graph_id: "agent" };
    return this.#client.threads.search({ offset: 0, limit: 10, status: "interrupted", metadata });
  }

  /** Opens a thread of the list. */
  async open(thread_id: string): Promise<Drawn | undefined> {
    const thread = await this.#client.threads.get(thread_id);
    return thread.status === "interrupted" ? drawn(thread) : undefined;
  }

  /** The button under the form: what it shows goes along, with texts for the values that were touched. */
  async accept(thread_id: string, texts: Record<string, string> = {}): Promise<unknown[]> {
    const { action, args } = await this.#shown(thread_id);
    return this.send(thread_id, { type: "accept", args: { action, args: { ...args, ...texts } } });
  }

  async edit(thread_id: string, texts: Record<string, string>): Promise<unknown[]> {
    const { action, args } = await this.#shown(thread_id);
    return this.send(thread_id, { type: "edit", args: { action, args: { ...args, ...texts } } });
  }

  respond(thread_id: string, text: string): Promise<unknown[]> {
    return this.send(thread_id, { type: "response", args: text });
  }

  /** Begins a run in the background, and looks at the list again. */
  async ignore(thread_id: string): Promise<void> {
    const resume = await this.#resume(thread_id, { type: "ignore", args: null });
    const { run_id } = await this.#client.runs.create(thread_id, "agent", { command: { resume } });
    await this.#client.runs.join(thread_id, run_id);
  }

  async resolve(thread_id: string): Promise<void> {
    await this.#client.threads.updateState(thread_id, { values: null, asNode: "__end__" });
  }

  async send(thread_id: string, response: HumanResponse): Promise<unknown[]> {
    const resume = await this.#resume(thread_id, response);
    return all(this.#client.runs.stream(thread_id, "agent", { command: { resume }, streamMode: "events" }));
  }

  async #resume(thread_id: string, response: HumanResponse): Promise<unknown> {
    const shown = await this.open(thread_id);
    if (!shown?.isHitl || this.#isOlder) return [response];
    const names: Partial<Record<HumanResponse["type"], string>> = { accept: "approve", response: "reject" };
    return { decisions: [{ ...response, type: names[response.type] ?? response.type }] };
  }

  async #shown(thread_id: string): Promise<Drawn> {
    const shown = await this.open(thread_id);
    if (!shown) throw new Error("There is nothing to be drawn.");
    return shown;
  }
}
