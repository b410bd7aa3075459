import { setImmediate as soon, setTimeout as wait } from "node:timers/promises";
import type { RunRow } from "../database/tables.ts";
import { abortRun, endPaused } from "./cancel-run.ts";
import type { Lane } from "./lane.ts";
import { isBusy, type Lanes } from "./lanes.ts";
import type { RunPorts } from "./run-ports.ts";
import type { RunQueue } from "./run-queue.ts";
import type { CancelMark } from "./runs.ts";

/** How often it is looked whether another process has ended a run, in milliseconds. */
const LOOK_MS = 100;

/** How a run is ended before its end. `rollback`: as if it had never begun, as far as its thread goes. */
export interface Cancellation {
  reason: string;
  action: "interrupt" | "rollback";
  /** Who wants it, where they had to say who they are. */
  by?: string | null;
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
  async cancel(record: RunRow, how: Cancellation): Promise<void> {
    const mark = markOf(how);
    const lane = this.#lanes.get(record.thread_id);
    // An answer's own run does not come then. The answer itself was taken, and another run acts on it.
    if (lane?.queued?.prepared.run.run_id === record.run_id) lane.queued = null;
    const wasWaiting = await this.#queue.cancel(record, mark);
    if (!wasWaiting) await this.#end(record, mark);
    if (how.action === "rollback") await this.#rollBack(record, wasWaiting);
  }

  /** Writes down that a run is to be cancelled: from then on it is, whatever happens to this process. */
  mark({ run_id }: RunRow, how: Cancellation): Promise<void> {
    return this.#ports.runs.mark(run_id, markOf(how));
  }

  /** Cancels all that is live or waits on a thread, and resolves when nothing runs there any more. */
  async clear(
    thread_id: string,
    reason: string,
    action: Cancellation["action"] = "interrupt",
    by: string | null = null,
  ): Promise<void> {
    const { runs } = this.#ports;
    const waiting = await runs.list(thread_id, { statuses: ["pending"], limit: 1_000, offset: 0 });
    for (const record of waiting) await this.cancel(record, { reason, action: "interrupt", by });
    const lane = await this.#lane(thread_id);
    const record = lane?.current && (await runs.get(lane.current.run.run_id));
    if (record) await this.cancel(record, { reason, action, by });
    if (lane === undefined && (await this.#ports.leases.isElsewhere(thread_id))) {
      const running = await runs.list(thread_id, { statuses: ["running", "drained"], limit: 10, offset: 0 });
      for (const one of running) await this.cancel(one, { reason, action, by });
    }
    await this.#lanes.untilFree(thread_id);
  }

  /** Cancels live runs of this process that another one was asked to cancel. */
  async look(): Promise<void> {
    const live = this.#lanes.live().filter((run) => !run.isCancelled);
    if (live.length === 0) return;
    for (const { run_id, ...mark } of await this.#ports.runs.toCancel(live.map((run) => run.run_id))) {
      const run = live.find((one) => one.run_id === run_id);
      if (run) await abortRun(this.#ports, run, mark);
    }
  }

  /** Ends a run that does not wait: one that is live, here or in another process, or that stopped at a question. */
  async #end(record: RunRow, mark: CancelMark): Promise<void> {
    const { run_id, thread_id } = record;
    const { runs, leases } = this.#ports;
    const lane = await this.#lane(thread_id);
    const current = lane?.current?.run;
    if (current?.run_id === run_id) {
      await abortRun(this.#ports, current, mark);
      await current.done;
      await this.#ports.forgetAnswers((await runs.get(run_id)) ?? record);
    } else if (lane === undefined) {
      if (await leases.isElsewhere(thread_id)) await this.#cancelElsewhere(record, mark);
      const hasStopped = async (): Promise<boolean> => (await runs.get(run_id))?.status === "interrupted";
      if (!(await hasStopped())) return;
      await this.#alone(thread_id, async () => {
        // Whoever had the thread until now may have ended it.
        if (await hasStopped()) await endPaused(this.#ports, record, mark);
      });
    }
  }

  /** Lets the process that has the thread cancel its run, and waits for that; or for its end, if that comes first. */
  async #cancelElsewhere({ run_id, thread_id }: RunRow, mark: CancelMark): Promise<void> {
    await this.#ports.runs.mark(run_id, mark);
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
    for (;;) {
      await this.#lanes.untilFree(thread_id);
      try {
        await this.#lanes.open(thread_id, async () => {
          await work();
          return null;
        });
        return;
      } catch (error) {
        // Somebody else was first.
        if (!isBusy(error)) throw error;
      }
    }
  }
}

function markOf({ reason, by = null }: Cancellation): CancelMark {
  return { cancel_reason: reason, cancelled_by: by };
}
