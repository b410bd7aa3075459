import type { Resumed } from "../../desk/index.ts";
import { lastApproval, type Approval } from "../../ledger/index.ts";
import type { RunRow, ThreadRow } from "../database/tables.ts";
import { stateOf } from "../threads/thread-view.ts";
import { Answers } from "./answers.ts";
import { Cancels, type Cancellation } from "./cancels.ts";
import type { Lane } from "./lane.ts";
import { isBusy, Lanes, type LanesEvents } from "./lanes.ts";
import { isLeftAlone } from "./left-alone.ts";
import { isCancelled, newestRun } from "./left-decisions.ts";
import { nextEntry } from "./next-entry.ts";
import type { RunPorts } from "./run-ports.ts";
import { RunQueue } from "./run-queue.ts";
import { ownRun, prepare, type GivenRun, type PreparedRun } from "./run-record.ts";
import type { Run } from "./run.ts";
import { startOf, Starts } from "./starts.ts";
import { readStoredRun, type Beginning } from "./stored-run.ts";
import { wokenEntry } from "./woken-entry.ts";

/**
 * Runs the graphs: one run at a time on each thread. A decision that comes while a run is live is written at once, and
 * the run that acts on it is queued behind.
 */
export class RunManager {
  readonly #ports: RunPorts;
  readonly #lanes: Lanes;
  readonly #queue: RunQueue;
  readonly #starts: Starts;
  readonly #answers: Answers;
  readonly #cancels: Cancels;

  /** @param onEnded is told of each run that has ended, before whoever waits for it. */
  constructor(ports: RunPorts, { onEnded }: Pick<LanesEvents, "onEnded">) {
    this.#ports = ports;
    this.#lanes = new Lanes(ports, {
      onEnded,
      onLeft: (lane) => this.#goOn(lane),
      onElsewhere: (lane) => void this.#lanes.untilFree(lane.thread_id).then(() => this.#goOn(lane)),
    });
    this.#queue = new RunQueue(ports, (thread_id) => this.#starts.poke(thread_id));
    const parts = { lanes: this.#lanes, queue: this.#queue };
    this.#cancels = new Cancels(ports, parts);
    this.#starts = new Starts(ports, { ...parts, others: this });
    this.#answers = new Answers(ports, this.#lanes);
  }

  isLive(thread_id: string): boolean {
    return this.#lanes.get(thread_id) !== undefined;
  }

  /** The run that is live on a thread. */
  current(thread_id: string): Run | undefined {
    return this.#lanes.get(thread_id)?.current?.run;
  }

  /** Whether something goes on with a thread, here or in another process. */
  async isBusy(thread_id: string): Promise<boolean> {
    return this.isLive(thread_id) || (await this.#ports.leases.isElsewhere(thread_id));
  }

  /** Resolves when nothing runs on the thread any more, here or in another process. */
  idle(thread_id: string): Promise<void> {
    return this.#lanes.untilFree(thread_id);
  }

  /** Does something with a thread while no run can begin on it. @throws {ServerError} `thread_busy`, `stopping` */
  async alone<Result>(thread_id: string, work: () => Promise<Result>): Promise<Result> {
    const done: Result[] = [];
    await this.#lanes.open(thread_id, async () => {
      done.push(await work());
      return null;
    });
    return done[0] as Result;
  }

  /**
   * Begins a run, at once or as its strategy and its time say.
   *
   * @throws {ServerError} `approval_pending`, `thread_busy`, `stopping`
   */
  start(row: ThreadRow, beginning: Beginning, given: GivenRun): Promise<Run> {
    return this.#starts.start(row, beginning, given);
  }

  /** Takes an answer to what is open on a thread: see {@link Answers.take}. */
  answer(row: ThreadRow, answer: unknown, given: GivenRun): Promise<Run> {
    return this.#answers.take(row, answer, given);
  }

  /** A run that brings nothing: what its client gets is how the thread stands. @throws {ServerError} `thread_busy` */
  show(row: ThreadRow, given: GivenRun): Promise<Run> {
    const prepared = prepare(this.#ports, row.thread_id, given, { beginning: { kind: "answers" } });
    return this.#lanes.open(row.thread_id, (lane) =>
      this.#lanes.launch(lane, { ...prepared, row, start: null }),
    );
  }

  /** Lets a run go on after an approval was settled: the desk's `resume`. */
  async wake(approval: Approval): Promise<Resumed> {
    const { thread_id, approval_id } = approval;
    if (this.#lanes.isStopping) return { run_id: null, resumed: false };
    const live = this.#lanes.get(thread_id);
    if (live) {
      live.woken.set(approval_id, approval);
      return live.waking ?? { run_id: live.current?.run.run_id ?? null, resumed: false };
    }
    const launched = this.#lanes.open(thread_id, async (lane) => {
      lane.woken.set(approval_id, approval);
      return this.#launchWoken(lane);
    });
    const lane = this.#lanes.get(thread_id);
    const waking = launched.then(
      (run) => ({ run_id: run?.run_id ?? null, resumed: run !== null }),
      (error: unknown) => {
        if (!isBusy(error)) throw error;
        // The process that has the thread hears of the decision from the ledger, unless it is about to leave.
        this.#wakeLater(approval).catch((failure: unknown) => this.#ports.onError(failure));
        return { run_id: approval.run_id, resumed: false };
      },
    );
    if (lane) lane.waking = waking;
    return waking.finally(() => {
      if (lane) lane.waking = null;
    });
  }

  /** Acts upon a decision once another process has left its thread, if that one did not. */
  async #wakeLater({ thread_id, approval_id }: Approval): Promise<void> {
    await this.#lanes.untilFree(thread_id);
    const call = await this.#ports.ledger.callOf(approval_id);
    const last = call && lastApproval(call);
    if (call?.result !== null || last?.approval_id !== approval_id || last.status === "pending") return;
    await this.wake(last);
  }

  /** Ends a run before its end: see {@link Cancels.cancel}. */
  async cancel(record: RunRow, how: Cancellation): Promise<void> {
    await this.#cancels.cancel(record, how);
    this.#starts.poke(record.thread_id);
  }

  /** Writes down that a run is to be cancelled, before it is. */
  mark(record: RunRow, how: Cancellation): Promise<void> {
    return this.#cancels.mark(record, how);
  }

  /** Cancels all that is live or waits on a thread, and resolves when nothing runs there any more. */
  clear(...given: Parameters<Cancels["clear"]>): Promise<void> {
    return this.#cancels.clear(...given);
  }

  /**
   * Takes up a thread that an earlier process left, while nobody else can. `work` says what goes on with it.
   *
   * @throws {ServerError} `thread_busy` when somebody else has it by now.
   */
  takeUp(thread_id: string, work: (lane: Lane) => Promise<Run | null>): Promise<Run | null> {
    return this.#lanes.open(thread_id, work, { isLeft: true });
  }

  /** Lets a thread that was taken up go on, with the run that was cut off there; `null`: there is nothing to do. */
  async goOnWith(lane: Lane, row: ThreadRow, left: PreparedRun | null): Promise<Run | null> {
    const state = await stateOf(this.#ports, row);
    const isLost =
      left !== null &&
      left.stored.beginning.kind !== "answers" &&
      (await this.#ports.headOf(row.thread_id)) === left.record.from_checkpoint;
    // An input that never came to the disk is brought again.
    if (isLost) return this.#lanes.launch(lane, { ...left, row, start: startOf(left.stored) });
    const entry = state && (await nextEntry(this.#ports.ledger, state, lane));
    // Tasks that wait for nobody were cut off, unless the thread had come to rest.
    if (!entry || (entry.kind === "continue" && row.status !== "busy")) return null;
    const own = left ?? (await this.#again(row));
    const { checkpoint_id: _passed, ...stored } = own.stored;
    return this.#lanes.launch(lane, { ...own, stored, row, start: entry });
  }

  /** Looks after what others may have changed: runs that wait for a thread, and runs that are to be cancelled. */
  async look(): Promise<void> {
    await this.#queue.look();
    await this.#starts.look();
    await this.#cancels.look();
  }

  /** Takes up a run that waits, as an earlier process left it. */
  adopt(record: RunRow): void {
    this.#queue.adopt(record);
    this.#starts.poke(record.thread_id);
  }

  /** Lets what waits on a thread have its turn, after something was closed there without a run. */
  poke(thread_id: string): void {
    this.#starts.poke(thread_id);
  }

  /** Begins no more runs and drains those that are live, for at most `ms` milliseconds. */
  async stop(ms: number): Promise<void> {
    this.#queue.stop();
    await this.#lanes.stop(ms);
  }

  async #launchWoken(lane: Lane): Promise<Run | null> {
    const row = await this.#ports.threads.get(lane.thread_id);
    if (!row?.graph_id || isLeftAlone(this.#ports, row)) {
      // Not a thread of this server. Left in the lane, they would be brought again and again. A process that serves its
      // graph hears of the decision from the ledger.
      lane.takeWoken();
      return null;
    }
    const newest = await newestRun(this.#ports, row);
    if (newest && isCancelled(newest)) {
      // What was cancelled stays where it was, whoever decided something there in the same moment.
      lane.takeWoken();
      return null;
    }
    // Those that came meanwhile go along. Nothing: nobody waits in a graph for it, or it waits for more.
    const start = await wokenEntry(this.#ports, row, lane);
    if (start === null) return null;
    return this.#lanes.launch(lane, { ...this.#own(row), row, start });
  }

  /** A run that does what the thread's newest one failed to do, with what that one was given. */
  async #again(row: ThreadRow): Promise<PreparedRun> {
    const newest = await newestRun(this.#ports, row);
    const order = newest?.cause === "resume" ? readStoredRun(newest.kwargs_json)?.order : undefined;
    const given = { ...ownRun(row), ...(order && { order }) };
    return prepare(this.#ports, row.thread_id, given, { beginning: { kind: "answers" } });
  }

  #own(row: ThreadRow): PreparedRun {
    return prepare(this.#ports, row.thread_id, ownRun(row), { beginning: { kind: "answers" } });
  }

  #goOn({ thread_id, woken }: Lane): void {
    for (const approval of woken.values())
      this.wake(approval).catch((error: unknown) => this.#ports.onError(error));
    this.#starts.poke(thread_id);
  }
}
