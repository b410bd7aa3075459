import { z } from "zod";
import type { Resumed } from "../../desk/index.ts";
import type { Approval } from "../../ledger/index.ts";

// Where a LangGraph server leaves the way to itself for what runs inside it; the official client looks there too.
const LOOPBACK = Symbol.for("langgraph_api:fetch");
type Loopback = (path: string, init?: RequestInit) => Promise<Response>;

const NOT_RESUMED: Resumed = { run_id: null, resumed: false };

const Thread = z.looseObject({
  status: z.string(),
  metadata: z.looseObject({ assistant_id: z.string().optional(), graph_id: z.string().optional() }).nullish(),
});
const StartedRun = z.looseObject({ run_id: z.string() });

/** The LangGraph server that this process is part of, as `langgraphjs dev` is: it has the threads and runs them. */
export class LanggraphServer {
  readonly #seal: (approval_id: string) => unknown;
  readonly #onError: (error: unknown) => void;
  /** Approvals that were settled before it answered anybody; `null` since it does. */
  #early: Approval[] | null = [];
  /** The newest run that was begun here on each thread, until it has stopped. */
  readonly #runs = new Map<string, string>();

  /** @param seal what wakes the task that waits for an approval. */
  constructor(seal: (approval_id: string) => unknown, onError: (error: unknown) => void) {
    this.#seal = seal;
    this.#onError = onError;
  }

  /** It answers requests. To be called with each, and never before: a server that is asked before it is whole breaks. */
  isOpen(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const approval of early) this.resume(approval).catch(this.#onError);
  }

  /**
   * Lets the run go on after a decision, behind one that is live. Without such a server, and on a thread that it does
   * not know, nothing is done: the decision is taken when the thread is resumed the next time.
   */
  async resume(approval: Approval): Promise<Resumed> {
    const { approval_id, thread_id, interrupt_id } = approval;
    if (this.#early) {
      this.#early.push(approval);
      return NOT_RESUMED;
    }
    const path = `/threads/${encodeURIComponent(thread_id)}`;
    const found = interrupt_id === null ? undefined : await send("GET", path);
    if (interrupt_id === null || !found?.ok) return NOT_RESUMED;
    const { status, metadata } = Thread.parse(await found.json());
    const assistant_id = metadata?.assistant_id ?? metadata?.graph_id;
    if (assistant_id === undefined) return NOT_RESUMED;
    const begun = await send("POST", `${path}/runs`, {
      assistant_id,
      command: { resume: { [interrupt_id]: this.#seal(approval_id) } },
      multitask_strategy: "enqueue",
    });
    if (!begun?.ok)
      throw new Error(`The LangGraph server did not resume the thread: ${await wordsOf(begun)}`);
    const { run_id } = StartedRun.parse(await begun.json());
    this.#runs.set(thread_id, run_id);
    return { run_id, resumed: status !== "busy" };
  }

  /** Resolves when no run that was begun here is live on a thread. */
  async idle(thread_id: string): Promise<void> {
    const run_id = this.#runs.get(thread_id);
    if (run_id === undefined) return;
    const joined = await send("GET", `/threads/${encodeURIComponent(thread_id)}/runs/${run_id}/join`);
    await joined?.text();
    if (this.#runs.get(thread_id) === run_id) this.#runs.delete(thread_id);
  }
}

async function send(method: string, path: string, body?: unknown): Promise<Response | undefined> {
  const loopback = (globalThis as { [LOOPBACK]?: Loopback })[LOOPBACK];
  if (body === undefined) return loopback?.(path, { method });
  const headers = { "content-type": "application/json" };
  return loopback?.(path, { method, headers, body: JSON.stringify(body) });
}

async function wordsOf(answer: Response | undefined): Promise<string> {
  return answer === undefined ? "it is gone" : `${answer.status} ${(await answer.text()).slice(0, 200)}`;
}
