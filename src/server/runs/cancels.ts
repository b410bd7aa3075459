import { setImmediate as soon } from "node:timers/promises";
import type { RunRow } from "../database/tables.ts";
import { abortRun, endPaused } from "./cancel-run.ts";
import type { Lane } from "./lane.ts";
import type { Lanes } from "./lanes.ts";
import type { RunPorts } from "./run-ports.ts";
import type { RunQueue } from "./run-queue.ts";

/** How a run is ended before its end. `rollback`: as if it had never begun, as far as its thread goes. */
export interface Cancellation {
  reason: string;
  action: "interrupt" | "rollback";
}

/** Ends runs before their end. */
export class Cancels {
  readonly #ports: RunPorts;
  readonly #lanes: Lanes;
  readonly #queue: RunQueue;

  constructor(ports: RunPorts, { lanes, queue }: { lanes: Lanes; queue: RunQueue }) {
    this.#ports = ports;
    this.#lanes = lanes;
    this.#queue = queue;
  }

  /** Ends a run, whatever it does: one that waits, that is live, or that stopped at a question. Others have ended. */
  async cancel(record: RunRow, { reason, action }: Cancellation): Promise<void> {
    const { run_id, thread_id } = record;
    const wasWaiting = await this.#queue.cancel(record, reason);
    if (!wasWaiting) {
      const lane = await this.#lane(thread_id);
      const current = lane?.current?.run;
      if (lane?.queued?.prepared.run.run_id === run_id) await this.#dropQueued(lane, reason);
      else if (current?.run_id === run_id) {
        await abortRun(this.#ports, current, reason);
        await current.done;
        await this.#ports.forgetAnswers((await this.#ports.runs.get(run_id)) ?? record);
      } else if (lane === undefined && (await this.#ports.runs.get(run_id))?.status === "interrupted")
        await this.#alone(thread_id, () => endPaused(this.#ports, record, reason));
    }
    if (action === "rollback") await this.#rollBack(record, wasWaiting);
  }

  /** Cancels all that is live or waits on a thread, and resolves when nothing runs there any more. */
  async clear(
    thread_id: string,
    reason: string,
    action: Cancellation["action"] = "interrupt",
  ): Promise<void> {
    const { runs } = this.#ports;
    if (this.#queue.has(thread_id)) {
      const waiting = await runs.list(thread_id, { statuses: ["pending"], limit: 1_000, offset: 0 });
      for (const record of waiting) await this.#queue.cancel(record, reason);
    }
    const lane = await this.#lane(thread_id);
    if (lane?.queued) await this.#dropQueued(lane, reason);
    const record = lane?.current && (await runs.get(lane.current.run.run_id));
    if (record) await this.cancel(record, { reason, action });
    await lane?.idle;
  }

  /** The lane of a thread, once it has a run. */
  async #lane(thread_id: string): Promise<Lane | undefined> {
    let lane = this.#lanes.get(thread_id);
    while (lane?.current === null) {
      await soon();
      lane = this.#lanes.get(thread_id);
    }
    return lane;
  }

  /** An answer's own run does not come. The answer itself was taken, and another run acts on it. */
  async #dropQueued(lane: Lane, reason: string): Promise<void> {
    const { queued } = lane;
    lane.queued = null;
    if (queued === null) return;
    const { run, record } = queued.prepared;
    await this.#ports.runs.set(record.run_id, { status: "cancelled", cancel_reason: reason });
    run.push("end", null);
    run.finish({ status: "cancelled", error: null });
  }

  async #rollBack(record: RunRow, wasWaiting: boolean): Promise<void> {
    const { run_id, thread_id } = record;
    if (wasWaiting) return this.#ports.runs.remove(run_id);
    await this.#alone(thread_id, async () => {
      const row = await this.#ports.threads.get(thread_id);
      // What came after it stands on what it did.
      if (row?.run_id === run_id) await this.#ports.forgetRun((await this.#ports.runs.get(run_id)) ?? record);
      await this.#ports.runs.remove(run_id);
    });
  }

  /** Does something once nothing runs on the thread any more. */
  async #alone(thread_id: string, work: () => Promise<void>): Promise<void> {
    while (this.#lanes.get(thread_id)) await this.#lanes.get(thread_id)?.idle;
    await this.#lanes.open(thread_id, async () => {
      await work();
      return null;
    });
  }
}
