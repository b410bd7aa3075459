import { setTimeout as wait } from "node:timers/promises";
import { Lane } from "./lane.ts";
import { beginLeg, finishLeg, newRun, type Leg, type RunWishes } from "./leg.ts";
import { nextEntry } from "./next-entry.ts";
import { resumeOrder, type Order } from "./order.ts";
import type { Start } from "./play.ts";
import { ServerError } from "../problem.ts";
import type { RunPorts } from "./run-ports.ts";
import type { Run, RunOutcome } from "./run.ts";
import type { BegunThread } from "./runs.ts";
import type { ThreadRow } from "../database/tables.ts";
import { stateOf } from "../threads/thread-view.ts";

/** Which graph a run is of, and what its client wants. */
export interface GivenRun {
  graph_id: string;
  assistant_id: string;
  order: Order;
  wishes: RunWishes;
}

/** A run that is to begin. What is not given follows from the thread. */
export interface Launch extends Partial<GivenRun> {
  row: ThreadRow;
  start: Start | null;
  run?: Run;
  answer_digest?: string;
}

/** The threads on which something goes on, and their runs one after the other. */
export class Lanes {
  readonly #ports: RunPorts;
  readonly #lanes = new Map<string, Lane>();
  #isStopping = false;
  /** Wakes a thread again for approvals that came while its lane was being left. */
  readonly #wake: (lane: Lane) => void;

  constructor(ports: RunPorts, wake: (lane: Lane) => void) {
    this.#ports = ports;
    this.#wake = wake;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  get(thread_id: string): Lane | undefined {
    return this.#lanes.get(thread_id);
  }

  /**
   * Opens the lane of a thread and begins what `work` launches in it; `null` when that is nothing. The lane is opened
   * in the tick in which it is found free, so that two can never begin at once.
   *
   * @throws {ServerError} `thread_busy`, `stopping`
   */
  async open<Launched extends Run | null>(
    thread_id: string,
    work: (lane: Lane) => Promise<Launched>,
  ): Promise<Launched> {
    if (this.#isStopping)
      throw new ServerError("stopping", "The server is stopping. Send again when it is back.");
    if (this.#lanes.has(thread_id))
      throw new ServerError(
        "thread_busy",
        "A run is live on this thread. Wait until it has stopped, then send again.",
      );
    const lane = new Lane(thread_id);
    this.#lanes.set(thread_id, lane);
    try {
      const run = await work(lane);
      if (run === null) this.#leave(lane);
      return run;
    } catch (error) {
      this.#leave(lane);
      throw error;
    }
  }

  /** Begins a run in an open lane. It goes on by itself, and so do those that come after it. */
  async launch(lane: Lane, launch: Launch): Promise<Run> {
    const leg = await this.#begin(lane, launch);
    void this.#drive(lane, leg);
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

  async #drive(lane: Lane, first: Leg): Promise<void> {
    let leg: Leg | null = first;
    while (leg !== null) {
      const { run }: Leg = leg;
      const outcome: RunOutcome = await finishLeg(this.#ports, leg);
      leg = await this.#following(lane, outcome).catch((error: unknown) => {
        this.#ports.onError(error);
        return null;
      });
      // Left before the end is told, so that who hears of it finds the thread at rest.
      if (leg === null) this.#leave(lane);
      run.finish(outcome);
    }
  }

  /** The run that comes next, begun, if anything has come that needs one. */
  async #following(lane: Lane, { status }: RunOutcome): Promise<Leg | null> {
    if (status === "cancelled") lane.woken.clear();
    while (lane.hasMore && !this.#isStopping) {
      const row = await this.#ports.threads.get(lane.thread_id);
      if (row === undefined) return null;
      const { queued } = lane;
      lane.queued = null;
      lane.takeWoken();
      const state = await stateOf(this.#ports, row);
      const entry = state && (await nextEntry(this.#ports.ledger, state, lane.tried));
      if (queued === null && entry === null) continue;
      const start = withOthers(entry, queued?.others ?? {});
      const { run, wishes, answer_digest } = queued ?? {};
      return this.#begin(lane, {
        row,
        start,
        ...(run && wishes && answer_digest && { run, wishes, answer_digest }),
      });
    }
    return null;
  }

  #leave(lane: Lane): void {
    if (this.#lanes.get(lane.thread_id) !== lane) return;
    this.#lanes.delete(lane.thread_id);
    lane.close();
    lane.queued?.run.finish({ status: "drained", error: null });
    if (lane.woken.size > 0 && !this.#isStopping) this.#wake(lane);
  }

  async #begin(lane: Lane, launch: Launch): Promise<Leg> {
    const { row, start, answer_digest = null } = launch;
    const graph_id = launch.graph_id ?? row.graph_id ?? "";
    const assistant_id = launch.assistant_id ?? row.assistant_id ?? "";
    if (row.graph_id !== null && row.graph_id !== graph_id)
      throw new ServerError(
        "graph_mismatch",
        `This thread belongs to the graph "${row.graph_id}", not to "${graph_id}".`,
      );
    const isNew = start?.kind === "input";
    const order = isNew ? (launch.order ?? {}) : resumeOrder(row, launch.order);
    const graph = await this.#ports.graphs.get(graph_id, order.configurable);
    const wishes = launch.wishes ?? { modes: [] };
    const run = launch.run ?? newRun(row.thread_id, wishes);
    const drain = this.#ports.newDrain();
    const leg = {
      run,
      row,
      graph,
      graph_id,
      assistant_id,
      order,
      wishes,
      start,
      drain,
      tried: lane.tried,
      answer_digest,
    };
    await beginLeg(this.#ports, leg, isNew ? begunThread(leg) : {});
    lane.current = { run, drain };
    return leg;
  }
}

/** What the thread keeps of a run that begins with an input. */
function begunThread({ row, graph_id, assistant_id, order }: Leg): BegunThread {
  const metadata = { ...(JSON.parse(row.metadata_json) as object), graph_id, assistant_id };
  return {
    metadata_json: JSON.stringify(metadata),
    graph_id,
    assistant_id,
    order_json: JSON.stringify(order),
  };
}

/** An entry with answers to other questions beside it. `null` when there is nothing at all to bring. */
function withOthers(entry: Start | null, others: Record<string, unknown>): Start | null {
  if (Object.keys(others).length === 0) return entry;
  return {
    kind: "answers",
    approvals: entry?.kind === "answers" ? entry.approvals : new Map<string, string>(),
    others,
  };
}
