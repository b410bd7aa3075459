import type { Database } from "../../ledger/sql/index.ts";
import type { RunRow } from "../database/tables.ts";
import type { RunPorts } from "../runs/run-ports.ts";
import type { RunOutcome, RunResult } from "../runs/run.ts";
import { interruptsOf, readNow } from "../threads/thread-view.ts";
import { errorData } from "../to-json.ts";
import type { MayReach } from "./allowed-hosts.ts";
import { postOnce, type Resolve } from "./post-once.ts";
import { WaitingWebhooks, type WaitingWebhook } from "./waiting.ts";
import { webhookBody } from "./webhook-body.ts";

/** What is waited after each try before the next one, and for how long a try is left alone; in milliseconds. */
const PAUSES_MS = [1_000, 5_000, 25_000];
const CLAIM_MS = 30_000;

/** How often it is looked for webhooks that another process left, in milliseconds, and how many are told at once. */
const LOOK_MS = 1_000;
const AT_ONCE = 20;

export interface WebhookOptions {
  database: Database;
  mayReach: MayReach;
  resolve?: Resolve;
}

/**
 * Tells the end of runs to the addresses that their clients gave: at least once, four times at most until it is heard.
 * What is still to be told is on disk, so a stop or a crash only delays it. No run waits for it.
 */
export class Webhooks {
  readonly #ports: RunPorts;
  readonly #options: WebhookOptions;
  readonly #waiting: WaitingWebhooks;
  readonly #stopping = new AbortController();
  readonly #busy = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #nextMs = Number.POSITIVE_INFINITY;

  constructor(ports: RunPorts, options: WebhookOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#waiting = new WaitingWebhooks(options.database);
  }

  tell({ run_id, webhook }: RunRow, outcome: RunOutcome, result: RunResult | null): void {
    if (webhook === null || outcome.status === "drained") return;
    const error = outcome.error === null ? null : errorData(outcome.error).message;
    this.#track(this.#begin(run_id, { ...(result ?? { values: null, interrupts: [] }), error }));
  }

  /** Begins to tell what an earlier process left, and what others put off from now on. */
  async start(): Promise<void> {
    await this.takeUp();
    this.#lookIn(0);
  }

  /** Begins to tell of runs that ended just before their process did. */
  async takeUp(): Promise<void> {
    for (const record of await this.#ports.runs.untold()) this.#track(this.#beginLeft(record));
  }

  /** Leaves what is not told yet to the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await Promise.all(this.#busy);
  }

  /** A run that had ended just before its process did. What it left is read from its thread. */
  async #beginLeft({ run_id, thread_id, error }: RunRow): Promise<void> {
    const { threads } = this.#ports;
    const row = await threads.get(thread_id);
    const now = row && (await readNow(this.#ports, { ...row, run_id }));
    const values: unknown = now?.state?.values ?? null;
    const left = { values, interrupts: now ? interruptsOf(now) : [] };
    await this.#begin(run_id, { ...left, error });
  }

  async #begin(run_id: string, left: RunResult & { error: string | null }): Promise<void> {
    const record = await this.#ports.runs.get(run_id);
    if (record === undefined || record.webhook === null) return;
    const { thread_id, webhook: url } = record;
    const mask = await this.#ports.masks.of(record);
    const body = webhookBody(record, mask.show(left) as typeof left);
    const waiting = { run_id, thread_id, url, body, attempts: 0, due_ms: Date.now() + CLAIM_MS };
    if (await this.#waiting.add(waiting)) await this.#deliver(waiting);
  }

  async #look(): Promise<void> {
    const due = await this.#waiting.due(Date.now(), AT_ONCE);
    for (const one of due) {
      const claimed = { ...one, due_ms: Date.now() + CLAIM_MS };
      if (await this.#waiting.claim(one, { due_ms: claimed.due_ms })) this.#track(this.#deliver(claimed));
    }
    this.#lookIn(due.length === AT_ONCE ? 1_000 : LOOK_MS);
  }

  async #deliver(one: WaitingWebhook): Promise<void> {
    const { run_id, url, body, attempts } = one;
    const { signal } = this.#stopping;
    const { mayReach, resolve } = this.#options;
    const headers = { "content-type": "application/json", "webhook-id": run_id };
    const problem = await postOnce({ url, body, headers, mayReach, signal, ...(resolve && { resolve }) });
    if (problem === null) return this.#waiting.remove(run_id);
    if (signal.aborted) {
      // At once, at the next start.
      await this.#waiting.claim(one, { due_ms: Date.now() });
      return;
    }
    const pause = PAUSES_MS[attempts];
    if (pause === undefined) {
      await this.#waiting.remove(run_id);
      throw new Error(`The webhook of run ${run_id} could not be told: ${problem}`);
    }
    await this.#waiting.claim(one, { attempts: attempts + 1, due_ms: Date.now() + pause });
    this.#lookIn(pause);
  }

  /** Looks after so long, or sooner where that is planned already. */
  #lookIn(ms: number): void {
    const at = Date.now() + ms;
    if (this.#stopping.signal.aborted || (this.#timer !== undefined && at >= this.#nextMs)) return;
    clearTimeout(this.#timer);
    this.#nextMs = at;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // Whatever went wrong, it is looked again.
      this.#track(
        this.#look().catch((error: unknown) => {
          this.#lookIn(LOOK_MS);
          throw error;
        }),
      );
    }, ms).unref();
  }

  #track(work: Promise<void>): void {
    const done = work.catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) this.#ports.onError(error);
    });
    this.#busy.add(done);
    void done.then(() => this.#busy.delete(done));
  }
}
