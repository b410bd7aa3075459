import { setTimeout as wait } from "node:timers/promises";
import type { RunRow } from "../database/tables.ts";
import { errorData, toJson } from "../to-json.ts";
import type { RunPorts } from "./run-ports.ts";
import { viewRun } from "./run-view.ts";
import type { RunOutcome, RunResult } from "./run.ts";

/** How long one delivery may take, and what is waited before another one is tried; in milliseconds. */
const TIMEOUT_MS = 10_000;
const PAUSES_MS = [1_000, 5_000, 25_000];

/** Tells the end of runs to the addresses that their clients gave. Nothing waits for it. */
export class Webhooks {
  readonly #ports: Pick<RunPorts, "runs" | "onError">;

  constructor(ports: Pick<RunPorts, "runs" | "onError">) {
    this.#ports = ports;
  }

  tell(record: RunRow, outcome: RunOutcome, result: RunResult | null): void {
    if (record.webhook === null || outcome.status === "drained") return;
    this.#deliver(record.webhook, record, outcome, result).catch((error: unknown) =>
      this.#ports.onError(error),
    );
  }

  async #deliver(
    url: string,
    { run_id, created_at }: RunRow,
    { error }: RunOutcome,
    result: RunResult | null,
  ): Promise<void> {
    const record = await this.#ports.runs.get(run_id);
    if (record === undefined) return;
    const { interrupts = [], values = null } = result ?? {};
    const body = toJson({
      ...viewRun(record),
      ...{ run_started_at: created_at, run_ended_at: record.ended_at },
      webhook_sent_at: new Date().toISOString(),
      values: interrupts.length > 0 ? { ...(values as object | null), __interrupt__: interrupts } : values,
      ...(error !== null && { error: errorData(error).message }),
    });
    let problem = await send(url, body);
    for (const pause of PAUSES_MS) {
      if (problem === null) return;
      await wait(pause, undefined, { ref: false });
      problem = await send(url, body);
    }
    if (problem !== null) throw new Error(`The webhook of run ${run_id} could not be told: ${problem}`);
  }
}

/** Sends once; what went wrong, or `null`. */
async function send(url: string, body: string): Promise<string | null> {
  try {
    const headers = { "content-type": "application/json" };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
    await response.body?.cancel();
    return response.ok ? null : `it answered ${response.status}`;
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return [error, cause].flatMap((one) => (one instanceof Error ? [one.message] : [])).join(": ");
  }
}
