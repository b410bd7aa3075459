import { setImmediate as soon, setTimeout as wait } from "node:timers/promises";
import type { RunRow } from "../database/tables.ts";
import { abortRun, endPaused } from "./cancel-run.ts";
import type { Lane } from "./lane.ts";
import type { Lanes } from "./lanes.ts";
import type { RunPorts } from "./run-ports.ts";
import type { RunQueue } from "./run-queue.ts";

/** How often it is looked whether another process has ended a run, in milliseconds. */
const LOOK_MS = 100;

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
      } else if (lane === undefined) {
        if (await this.#ports.leases.isElsewhere(thread_id)) await this.#cancelElsewhere(record, reason);
        if ((await this.#ports.runs.get(run_id))?.status === "interrupted")
          await this.#alone(thread_id, () => endPaused(this.#ports, record, reason));
      }
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
    if (lane === undefined && (await this.#ports.leases.isElsewhere(thread_id))) {
      const running = await runs.list(thread_id, { statuses: ["running", "drained"], limit: 10, offset: 0 });
      for (const one of running) await this.cancel(one, { reason, action });
    }
    await this.#lanes.untilFree(thread_id);
  }

  /** Cancels live runs of this process that another one was asked to cancel. */
  async look(): Promise<void> {
    const live = this.#lanes.live().filter((run) => !run.isCancelled);
    if (live.length === 0) return;
    for (const { run_id, cancel_reason } of await this.#ports.runs.toCancel(live.map((run) => run.run_id))) {
      const run = live.find((one) => one.run_id === run_id);
      if (run) await abortRun(this.#ports, run, cancel_reason ?? "");
    }
  }

  /** Lets the process that has the thread cancel its run, and waits for that; or for its end, if that comes first. */
  async #cancelElsewhere({ run_id, thread_id }: RunRow, reason: string): Promise<void> {
    await this.#ports.runs.set(run_id, { cancel_reason: reason });
    for (;;) {
      const now = await this.#ports.runs.get(run_id);
      if (now === undefined || !["pending", "running", "drained"].includes(now.status)) return;
      // Nobody has it any more: it is cancelled when the thread is taken up.
      await wait(LOOK_MS);
      if (this.#lanes.isStopping || this.#lanes.get(thread_id)) return;
    }
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
    await this.#lanes.untilFree(thread_id);
    await this.#lanes.open(thread_id, async () => {
      await work();
      return null;
    });
  }
}
