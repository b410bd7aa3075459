import type { RunRow } from "../database/tables.ts";
import type { RunPorts } from "../runs/run-ports.ts";
import type { RunOutcome, RunResult } from "../runs/run.ts";
import { interruptsOf, readNow } from "../threads/thread-view.ts";
import { errorData } from "../to-json.ts";
import { CLAIM_MS, type Courier, type Delivery } from "./courier.ts";
import type { Outbox } from "./outbox.ts";
import { webhookBody } from "./webhook-body.ts";

/** How the ends of runs are told. */
export const WEBHOOK_DELIVERY: Delivery = {
  pauses: [1_000, 5_000, 25_000],
  headers: () => ({}),
  words: ({ message_id }) => `The webhook of run ${message_id}`,
};

/**
 * Tells the end of runs to the addresses that their clients gave: at least once, four times at most until it is heard.
 * What is still to be told is on disk, so a stop or a crash only delays it. No run waits for it.
 */
export class Webhooks {
  readonly #ports: RunPorts;
  readonly #outbox: Outbox;
  readonly #courier: Courier;

  constructor(ports: RunPorts, { outbox, courier }: { outbox: Outbox; courier: Courier }) {
    this.#ports = ports;
    this.#outbox = outbox;
    this.#courier = courier;
  }

  tell({ run_id, webhook }: RunRow, outcome: RunOutcome, result: RunResult | null): void {
    if (webhook === null || outcome.status === "drained") return;
    const error = outcome.error === null ? null : errorData(outcome.error).message;
    this.#courier.track(this.#begin(run_id, { ...(result ?? { values: null, interrupts: [] }), error }));
  }

  /** Begins to tell of runs that ended just before their process did. */
  async takeUp(): Promise<void> {
    for (const record of await this.#ports.runs.untold()) this.#courier.track(this.#beginLeft(record));
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
    const message = {
      // One end of a run is told under one id.
      ...{ message_id: run_id, thread_id, url, body, attempts: 0, due_ms: Date.now() + CLAIM_MS },
      ...{ target: null, subject: null, place: null },
    };
    if (await this.#outbox.addOfRun(message, run_id)) await this.#courier.deliver(message);
  }
}
