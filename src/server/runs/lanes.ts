import { setTimeout as wait } from "node:timers/promises";
import { isoTime } from "../../desk/index.ts";
import type { ThreadRow } from "../database/tables.ts";
import { ServerError } from "../problem.ts";
import { stateOf } from "../threads/thread-view.ts";
import { Lane } from "./lane.ts";
import { beginLeg, finishLeg, type Leg } from "./leg.ts";
import { nextEntry } from "./next-entry.ts";
import { resumeOrder } from "./order.ts";
import { comeToRest } from "./come-to-rest.ts";
import type { Start } from "./play.ts";
import type { RunPorts } from "./run-ports.ts";
import { ownRun, prepare, type PreparedRun } from "./run-record.ts";
import type { Run, RunOutcome } from "./run.ts";
import type { BegunThread } from "./run-writes.ts";
import { stillWaits } from "./still-waits.ts";

/** A run that is to begin. */
export interface Launch extends PreparedRun {
  row: ThreadRow;
  start: Start | null;
}

/** How often it is looked whether another process has left a thread, in milliseconds. */
const LOOK_MS = 100;

export interface LanesEvents {
  /** A lane was left: what came meanwhile, or waits for the thread to be free, can have its turn. */
  onLeft(lane: Lane): void;
  /** Something has come to a lane that another process turned out to have. */
  onElsewhere(lane: Lane): void;
  /** A run has ended. Whoever waits for it is told after this. */
  onEnded(prepared: PreparedRun, outcome: RunOutcome): void;
}

/** The threads on which something goes on, and their runs one after the other. */
export class Lanes {
  readonly #ports: RunPorts;
  readonly #lanes = new Map<string, Lane>();
  readonly #events: LanesEvents;
  #isStopping = false;

  constructor(ports: RunPorts, events: LanesEvents) {
    this.#ports = ports;
    this.#events = events;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** The runs that are live here. */
  live(): Run[] {
    return [...this.#lanes.values()].flatMap(({ current }) => (current ? [current.run] : []));
  }

  get(thread_id: string): Lane | undefined {
    return this.#lanes.get(thread_id);
  }

  /**
   * Opens the lane of a thread and begins what `work` launches in it; `null` when that is nothing. The lane is opened
   * in the tick in which it is found free, so that two can never begin at once.
   *
   * @param options.isLeft also opens that of a run that was cut off, to take it up.
   * @throws {ServerError} `thread_busy`, also when another process has the thread; `stopping`
   */
  async open<Launched extends Run | null>(
    thread_id: string,
    work: (lane: Lane) => Promise<Launched>,
    options: { isLeft?: boolean } = {},
  ): Promise<Launched> {
    this.assertRunning();
    if (this.#lanes.has(thread_id)) throw busyError();
    const lane = new Lane(thread_id);
    this.#lanes.set(thread_id, lane);
    await this.#take(lane, options);
    try {
      const run = await work(lane);
      if (run === null) await this.#leave(lane);
      return run;
    } catch (error) {
      await this.#leave(lane);
      throw error;
    }
  }

  /** Resolves when nothing goes on with a thread any more, here or in another process; or when this one stops. */
  async untilFree(thread_id: string): Promise<void> {
    while (!this.#isStopping) {
      const lane = this.#lanes.get(thread_id);
      if (lane) await lane.idle;
      else if (await this.#ports.leases.isElsewhere(thread_id)) await wait(LOOK_MS);
      else return;
    }
  }

  /** @throws {ServerError} `stopping` */
  assertRunning(): void {
    if (this.#isStopping)
      throw new ServerError("stopping", "The server is stopping. Send again when it is back.");
  }

  /** Begins a run in an open lane. It goes on by itself, and so do those that come after it. */
  async launch(lane: Lane, launch: Launch): Promise<Run> {
    const leg = await this.#begin(lane, launch);
    void this.#drive(lane, leg, launch);
    return leg.run;
  }

  /** Begins no more runs and drains those that are live, for at most `ms` milliseconds. */
  async stop(ms: number): Promise<void> {
    this.#isStopping = true;
    for (const { current } of this.#lanes.values()) current?.drain.requestDrain("The server stops.");
    const abort = new AbortController();
    const idle = [...this.#lanes.values()].map((lane) => lane.idle);
    const ended = Promise.all([...idle, this.#ports.executionsIdle()]);
    await Promise.race([ended, wait(ms, undefined, { signal: abort.signal }).catch(() => undefined)]);
    abort.abort();
  }

  async #drive(lane: Lane, first: Leg, launched: PreparedRun): Promise<void> {
    let leg: Leg | null = first;
    let prepared = launched;
    while (leg !== null) {
      const { run }: Leg = leg;
      const outcome: RunOutcome = await finishLeg(this.#ports, leg);
      const next: { leg: Leg; prepared: PreparedRun } | null = await this.#following(lane, outcome).catch(
        (error: unknown) => {
          this.#ports.onError(error);
          return null;
        },
      );
      // Left before the end is told, so that who hears of it finds the thread at rest.
      if (next === null) await this.#leave(lane);
      this.#events.onEnded(prepared, outcome);
      run.finish(outcome);
      leg = next?.leg ?? null;
      prepared = next?.prepared ?? prepared;
    }
  }

  /** The run that comes next, begun, if anything has come that needs one. */
  async #following(lane: Lane, { status }: RunOutcome): Promise<{ leg: Leg; prepared: PreparedRun } | null> {
    if (status === "cancelled") lane.woken.clear();
    while (lane.hasMore && !this.#isStopping) {
      const row = await this.#ports.threads.get(lane.thread_id);
      if (row === undefined) return null;
      const waiting = lane.queued?.prepared;
      lane.queued = null;
      // Another process may have cancelled it. Its answer was taken all the same.
      const queued = waiting && (await stillWaits(this.#ports, waiting)) ? waiting : null;
      const { hasQuestions } = lane.takeWoken();
      const state = await stateOf(this.#ports, row);
      const start = state && (await nextEntry(this.#ports.ledger, state, lane));
      if (start === null && hasQuestions) await comeToRest(this.#ports, row);
      if (queued === null && start === null) continue;
      const prepared =
        queued ?? prepare(this.#ports, row.thread_id, ownRun(row), { beginning: { kind: "answers" } });
      return { prepared, leg: await this.#begin(lane, { ...prepared, row, start }) };
    }
    return null;
  }

  /** Takes the thread of a lane from all other processes. @throws {ServerError} `thread_busy` */
  async #take(lane: Lane, options: { isLeft?: boolean }): Promise<void> {
    const taken = await this.#ports.leases.take(lane.thread_id, options).catch((error: unknown) => {
      this.#close(lane);
      throw error;
    });
    if (taken) return;
    this.#close(lane);
    if (lane.hasMore) this.#events.onElsewhere(lane);
    throw busyError();
  }

  #close(lane: Lane): void {
    this.#lanes.delete(lane.thread_id);
    lane.close();
  }

  async #leave(lane: Lane): Promise<void> {
    if (this.#lanes.get(lane.thread_id) !== lane) return;
    this.#close(lane);
    // A thread that cannot be given back is taken away once this process is gone.
    const released = this.#ports.leases.release(lane.thread_id);
    await released.catch((error: unknown) => this.#ports.onError(error));
    lane.queued?.prepared.run.finish({ status: "drained", error: null });
    if (!this.#isStopping) this.#events.onLeft(lane);
  }

  async #begin(lane: Lane, { run, row, record, stored, start }: Launch): Promise<Leg> {
    const { graph_id } = record;
    if (row.graph_id !== null && row.graph_id !== graph_id)
      throw new ServerError(
        "graph_mismatch",
        `This thread belongs to the graph "${row.graph_id}", not to "${graph_id}".`,
      );
    const isNew = start?.kind === "input";
    const order = isNew ? stored.order : resumeOrder(row, stored.order);
    const graph = await this.#ports.graphs.get(graph_id, order.configurable);
    const { wishes, checkpoint_id } = stored;
    const { attempt, from_checkpoint } = record;
    const leg: Leg = {
      ...{ run, row, graph, order, start, checkpoint_id, tried: lane.tried },
      // What goes on after an answer was asked for by whoever sent the input.
      requested_by: isNew ? record.requested_by : row.requested_by,
      record: {
        ...record,
        status: "running",
        attempt: attempt + 1,
        from_checkpoint: attempt === 0 ? await this.#ports.headOf(row.thread_id) : from_checkpoint,
        updated_at: isoTime(this.#ports.clock),
      },
      wishes: { ...wishes, modes: this.#ports.feeds.modesFor(row.thread_id, wishes.modes) },
      drain: this.#ports.newDrain(),
    };
    await beginLeg(this.#ports, leg, isNew || start?.kind === "command" ? begunThread(leg) : null);
    lane.current = { run, drain: leg.drain };
    return leg;
  }
}

export function isBusy(error: unknown): boolean {
  return error instanceof ServerError && error.code === "thread_busy";
}

export function busyError(): ServerError {
  const message = "A run is live on this thread. Wait until it has stopped, then send again.";
  return new ServerError("thread_busy", message);
}

/** What the thread keeps of a run that begins with an input. */
function begunThread({ row, record: { graph_id, assistant_id, requested_by }, order }: Leg): BegunThread {
  const metadata = { ...(JSON.parse(row.metadata_json) as object), graph_id, assistant_id };
  return {
    metadata_json: JSON.stringify(metadata),
    graph_id,
    assistant_id,
    order_json: JSON.stringify(order),
    requested_by,
  };
}
