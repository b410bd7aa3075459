import { isoTime } from "../../desk/index.ts";
import type { ThreadRow } from "../database/tables.ts";
import { deciderBy } from "../identity/principal.ts";
import { ServerError } from "../problem.ts";
import { pendingOf } from "../threads/open-questions.ts";
import { stateOf } from "../threads/thread-view.ts";
import { errorData } from "../to-json.ts";
import type { Cancels } from "./cancels.ts";
import type { Lane } from "./lane.ts";
import { isLeftAlone } from "./left-alone.ts";
import { hasLeftDecisions, isCancelled, newestRun } from "./left-decisions.ts";
import { nextEntry } from "./next-entry.ts";
import { busyError, type Lanes } from "./lanes.ts";
import type { Start } from "./play.ts";
import type { RunPorts } from "./run-ports.ts";
import type { RunQueue } from "./run-queue.ts";
import { prepare, type GivenRun, type PreparedRun } from "./run-record.ts";
import type { Run } from "./run.ts";
import type { Beginning, StoredRun } from "./stored-run.ts";
import { stillWaits } from "./still-waits.ts";
import { pendingError, withdrawPending } from "./withdraw-pending.ts";

/** How often a new run makes room for itself, where others come in between, before it gives up. */
const ROUNDS = 10;

const FORKED = "The thread was taken up from an earlier checkpoint.";

/** What a beginning run needs of the runs that are there. */
interface Others {
  isLive(thread_id: string): boolean;
  isBusy(thread_id: string): Promise<boolean>;
  idle(thread_id: string): Promise<void>;
  wake: Parameters<typeof withdrawPending>[1]["wake"];
  clear(...given: Parameters<Cancels["clear"]>): Promise<void>;
  goOnWith(lane: Lane, row: ThreadRow, left: null): Promise<Run | null>;
}

/** Begins the runs that clients ask for: at once, or when their turn or their time has come. */
export class Starts {
  readonly #ports: RunPorts;
  readonly #lanes: Lanes;
  readonly #queue: RunQueue;
  readonly #others: Others;

  constructor(ports: RunPorts, { lanes, queue, others }: { lanes: Lanes; queue: RunQueue; others: Others }) {
    this.#ports = ports;
    this.#lanes = lanes;
    this.#queue = queue;
    this.#others = others;
  }

  /** @throws {ServerError} `approval_pending`, `thread_busy`, `stopping` */
  async start(row: ThreadRow, beginning: Beginning, given: GivenRun): Promise<Run> {
    this.#lanes.assertRunning();
    const prepared = prepare(this.#ports, row.thread_id, given, { beginning });
    if (given.starts_at !== null) return this.#queue.add(prepared);
    try {
      return await this.#begin(row, prepared, given);
    } catch (error) {
      // Nobody waits for it, so it need not be known.
      prepared.run.finish({ status: "error", error });
      throw error;
    }
  }

  async #begin(row: ThreadRow, prepared: PreparedRun, { strategy, by }: GivenRun): Promise<Run> {
    const { thread_id } = row;
    for (let round = 0; round < ROUNDS; round += 1) {
      if (this.#queue.isDue(thread_id) || (await this.#others.isBusy(thread_id))) {
        if (strategy === "reject") break;
        if (strategy === "enqueue") {
          const run = await this.#queue.add(prepared);
          this.poke(thread_id);
          return run;
        }
        await this.#others.clear(thread_id, "A newer run took its place.", strategy, by.id);
      }
      await this.#makeRoom(row, prepared);
      try {
        const run = await this.#launch(row, prepared);
        if (run === prepared.run) return run;
        // What was decided goes on first. That is not what a newer run takes the place of.
        if (strategy === "reject") break;
        if (strategy !== "enqueue") await this.#others.idle(thread_id);
      } catch (error) {
        if (!isOneOf(error, ["thread_busy"])) throw error;
      }
    }
    throw busyError();
  }

  /** Lets the next waiting run of a thread have its turn, if the thread is free. */
  poke(thread_id: string): void {
    if (!this.#queue.has(thread_id)) return;
    this.#launchNext(thread_id).catch((error: unknown) => this.#ports.onError(error));
  }

  async #launchNext(thread_id: string): Promise<void> {
    if (this.#lanes.isStopping || this.#others.isLive(thread_id)) return;
    const next = await this.#queue.next(thread_id);
    const row = next && (await this.#ports.threads.get(thread_id));
    if (!row || isLeftAlone(this.#ports, next.record)) return;
    try {
      await this.#makeRoom(row, next);
      await this.#launch(row, next, () => this.#isStillWaiting(next));
    } catch (error) {
      // Its turn comes when the thread is at rest again.
      if (!isOneOf(error, ["approval_pending", "thread_busy", "stopping"])) await this.#fail(next, error);
    }
  }

  /** Lets runs that wait for a thread which another process had begin, once it is free. */
  async look(): Promise<void> {
    for (const thread_id of this.#queue.threads())
      if (this.#queue.isDue(thread_id) && !(await this.#others.isBusy(thread_id))) this.poke(thread_id);
  }

  /** Begins a run, unless something goes on there first: then it gives that. */
  #launch(
    row: ThreadRow,
    prepared: PreparedRun,
    isStillWanted: () => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<Run> {
    const { thread_id } = row;
    return this.#lanes.open(thread_id, async (lane) => {
      // Asked again now that nobody else can begin a run.
      const pending = await pendingOf(this.#ports.ledger, thread_id);
      if (pending.length > 0) throw pendingError(pending);
      const current = (await this.#ports.threads.get(thread_id)) ?? row;
      const first = await this.#actFirst(lane, current, prepared.stored);
      if (first) return first;
      await this.#ports.assertHarmless(current, {
        graph_id: prepared.record.graph_id,
        stored: prepared.stored,
      });
      if (!(await isStillWanted())) throw busyError();
      const start = await this.#startOn(lane, current, prepared.stored);
      return this.#lanes.launch(lane, { ...prepared, row: current, start });
    });
  }

  /** What was decided and not acted upon, as by a process that was killed, is acted upon before anything new begins. */
  async #actFirst(lane: Lane, row: ThreadRow, stored: StoredRun): Promise<Run | null> {
    if (stored.checkpoint_id !== undefined || startOf(stored).kind === "continue") return null;
    const newest = await newestRun(this.#ports, row);
    // What was cancelled does not go on, and what failed once is left behind by who sends something new.
    if (newest && (isCancelled(newest) || (newest.status === "error" && newest.cause === "resume")))
      return null;
    const readState = () => stateOf(this.#ports, row);
    if (!(await hasLeftDecisions(this.#ports.ledger, row.thread_id, readState))) return null;
    return this.#others.goOnWith(lane, row, null);
  }

  /** Who goes on without an input brings what was decided and not acted upon, as after a run that failed at its start. */
  async #startOn(lane: Lane, row: ThreadRow, stored: StoredRun): Promise<Start> {
    const start = startOf(stored);
    if (start.kind !== "continue" || stored.checkpoint_id !== undefined) return start;
    const state = await stateOf(this.#ports, row);
    return (state && (await nextEntry(this.#ports.ledger, state, lane))) ?? start;
  }

  /** Whether a run that waited still does, so that it begins now, and in this process. */
  async #isStillWaiting(prepared: PreparedRun): Promise<boolean> {
    return this.#queue.take(prepared.record) && (await stillWaits(this.#ports, prepared));
  }

  /** Sees to it that nothing is open on the thread when a run begins there. @throws {ServerError} `approval_pending` */
  async #makeRoom({ thread_id }: ThreadRow, { record, stored }: PreparedRun): Promise<void> {
    const { checkpoint_id } = stored;
    if (checkpoint_id === undefined) await withdrawPending(this.#ports, this.#others, thread_id);
    // What is open belongs to the branch that is left.
    else if (!(await this.#others.isBusy(thread_id)))
      await this.#ports.closeCalls(thread_id, FORKED, deciderBy(record.requested_by));
  }

  /** A waiting run that cannot begin ends, and its readers are told why. */
  async #fail({ run, record }: PreparedRun, error: unknown): Promise<void> {
    const { run_id } = record;
    const at = isoTime(this.#ports.clock);
    const told = errorData(error);
    this.#queue.take(record);
    await this.#ports.runs.set(run_id, {
      ...{ status: "error", error: told.message, ended_at: at, updated_at: at },
    });
    run.push("error", told);
    run.push("end", null);
    run.finish({ status: "error", error });
  }
}

/** What a stored run enters its graph with, from the client's own wish. */
export function startOf({ beginning }: StoredRun): Start {
  if (beginning.kind === "answers") return { kind: "continue" };
  if (beginning.kind === "input" && beginning.input === null) return { kind: "continue" };
  return beginning;
}

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  return error instanceof ServerError && codes.includes(error.code);
}
