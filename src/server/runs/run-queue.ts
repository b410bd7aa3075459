import { isoTime } from "../../desk/index.ts";
import type { RunRow } from "../database/tables.ts";
import { followElsewhere } from "./elsewhere.ts";
import type { RunPorts } from "./run-ports.ts";
import type { PreparedRun } from "./run-record.ts";
import { Run } from "./run.ts";
import type { CancelMark } from "./runs.ts";
import { readStoredRun } from "./stored-run.ts";

/** The longest time between two looks at runs that wait for their time, in milliseconds. */
const LOOK_MS = 1_000;

/** Runs that wait: for their thread to be free, or for their time. They are in the database, and outlive the process. */
export class RunQueue {
  readonly #ports: RunPorts;
  readonly #launchNext: (thread_id: string) => void;
  /** Runs that wait, by thread, so that a thread without any costs no look into the database. */
  readonly #waiting = new Map<string, Set<string>>();
  /** Runs that have a time of their own, with it and their thread. */
  readonly #timed = new Map<string, { thread_id: string; starts_at: number }>();
  #timer: NodeJS.Timeout | undefined;

  /** @param launchNext is called when a run that waited for its time may begin. */
  constructor(ports: RunPorts, launchNext: (thread_id: string) => void) {
    this.#ports = ports;
    this.#launchNext = launchNext;
  }

  async add({ run, record }: PreparedRun): Promise<Run> {
    await this.#ports.runs.add(record);
    this.adopt(record);
    return run;
  }

  /** Takes up a waiting run that is in the database already. */
  adopt({ run_id, thread_id, starts_at }: RunRow): void {
    const waiting = this.#waiting.get(thread_id) ?? new Set();
    this.#waiting.set(thread_id, waiting.add(run_id));
    if (starts_at !== null) this.#timed.set(run_id, { thread_id, starts_at: Date.parse(starts_at) });
    this.#arm();
  }

  /** The threads on which a run waits. */
  threads(): string[] {
    return [...this.#waiting.keys()];
  }

  has(thread_id: string): boolean {
    return this.#waiting.has(thread_id);
  }

  /** Whether a run waits on the thread for nothing but its turn. */
  isDue(thread_id: string): boolean {
    const now = this.#ports.clock();
    return [...(this.#waiting.get(thread_id) ?? [])].some(
      (run_id) => (this.#timed.get(run_id)?.starts_at ?? 0) <= now,
    );
  }

  /** The run that comes next on a thread, if one may begin now. */
  async next(thread_id: string): Promise<PreparedRun | null> {
    const { runs, clock } = this.#ports;
    const record = await runs.next(thread_id, isoTime(clock));
    return record === undefined ? null : this.#prepared(record);
  }

  /** Takes a run out of the queue, to begin or to end it; false when somebody has taken it before. */
  take({ run_id, thread_id }: Pick<RunRow, "run_id" | "thread_id">): boolean {
    this.#timed.delete(run_id);
    const waiting = this.#waiting.get(thread_id);
    const wasWaiting = waiting?.delete(run_id) ?? false;
    if (waiting?.size === 0) this.#waiting.delete(thread_id);
    return wasWaiting;
  }

  /** Ends a run that waits, here or in another process, before it began; false when it is no longer waiting. */
  async cancel(record: RunRow, mark: CancelMark): Promise<boolean> {
    const { runs, registry, clock } = this.#ports;
    const wasHere = this.take(record);
    const run = registry.get(record.run_id);
    if (!(await runs.cancelWaiting(record.run_id, mark, isoTime(clock)))) {
      if (wasHere && run) followElsewhere(this.#ports, record, run);
      return false;
    }
    run?.push("end", null);
    run?.finish({ status: "cancelled", error: null });
    return true;
  }

  /** Lets go of runs that another process has begun, cancelled or removed. Who reads them here is told their end. */
  async look(): Promise<void> {
    const known = [...this.#waiting].flatMap(([thread_id, ids]) =>
      [...ids].map((run_id) => ({ run_id, thread_id })),
    );
    if (known.length === 0) return;
    const waiting = await this.#ports.runs.waiting();
    for (const one of known) if (!waiting.has(one.run_id)) await this.#lose(one);
  }

  async #lose({ run_id, thread_id }: Pick<RunRow, "run_id" | "thread_id">): Promise<void> {
    const record = await this.#ports.runs.get(run_id);
    // It may have begun or ended here in the meantime.
    if (!this.#waiting.get(thread_id)?.has(run_id)) return;
    if (record?.status === "pending") {
      if (record.cancel_reason !== null) await this.cancel(record, record);
      return;
    }
    this.take({ run_id, thread_id });
    const run = this.#ports.registry.get(run_id);
    if (run)
      followElsewhere(
        this.#ports,
        record ?? { run_id, thread_id, attempt: 0, requested_by: run.requested_by },
        run,
      );
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timed.clear();
    this.#waiting.clear();
  }

  #prepared(record: RunRow): PreparedRun | null {
    const { registry } = this.#ports;
    const stored = readStoredRun(record.kwargs_json);
    if (stored === null) return null;
    const { run_id, thread_id } = record;
    return {
      run: registry.get(run_id) ?? registry.add(new Run(thread_id, run_id, record.requested_by)),
      record,
      stored,
    };
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#timed.size === 0) return;
    const now = this.#ports.clock();
    const first = Math.min(...[...this.#timed.values()].map(({ starts_at }) => starts_at));
    this.#timer = setTimeout(() => this.#look(), Math.min(LOOK_MS, Math.max(1, first - now))).unref();
  }

  #look(): void {
    const now = this.#ports.clock();
    for (const [run_id, { thread_id, starts_at }] of this.#timed) {
      if (starts_at > now) continue;
      // From now on it waits for its turn alone.
      this.#timed.delete(run_id);
      this.#launchNext(thread_id);
    }
    this.#arm();
  }
}
