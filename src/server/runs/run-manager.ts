import { DeskError, type Resumed } from "../../desk/index.ts";
import { digest, type Approval } from "../../ledger/index.ts";
import { takeAnswer, type Taken } from "./answering.ts";
import { cancelRun } from "./cancel-run.ts";
import type { Lane } from "./lane.ts";
import { Lanes, type GivenRun } from "./lanes.ts";
import { newRun, type RunWishes } from "./leg.ts";
import { nextEntry } from "./next-entry.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { pendingOf } from "../threads/open-questions.ts";
import type { Start } from "./play.ts";
import { ServerError } from "../problem.ts";
import type { RunPorts } from "./run-ports.ts";
import type { Run } from "./run.ts";
import type { ThreadRow } from "../database/tables.ts";
import { stateOf } from "../threads/thread-view.ts";
import { pendingError, withdrawPending } from "./withdraw-pending.ts";

/**
 * Runs the graphs: one run at a time on each thread. A decision that comes while a run is live is written at once, and
 * the run that acts on it is queued behind.
 */
export class RunManager {
  readonly #ports: RunPorts;
  readonly #lanes: Lanes;
  readonly #answering = new OneAtATime();

  constructor(ports: RunPorts) {
    this.#ports = ports;
    this.#lanes = new Lanes(ports, ({ woken }) => {
      for (const approval of woken.values())
        this.wake(approval).catch((error: unknown) => ports.onError(error));
    });
  }

  isLive(thread_id: string): boolean {
    return this.#lanes.get(thread_id) !== undefined;
  }

  /** The run that is live on a thread. */
  current(thread_id: string): Run | undefined {
    return this.#lanes.get(thread_id)?.current?.run;
  }

  /** Resolves when nothing runs on the thread any more. */
  async idle(thread_id: string): Promise<void> {
    await this.#lanes.get(thread_id)?.idle;
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

  /** Begins a run from an input. @throws {ServerError} `approval_pending`, `thread_busy`, `stopping` */
  async start(row: ThreadRow, input: unknown, given: GivenRun): Promise<Run> {
    await withdrawPending(this.#ports, this, row.thread_id);
    return this.#lanes.open(row.thread_id, async (lane) => {
      // Asked again now that nobody else can begin a run.
      const pending = await pendingOf(this.#ports.ledger, row.thread_id);
      if (pending.length > 0) throw pendingError(pending);
      const current = (await this.#ports.threads.get(row.thread_id)) ?? row;
      const start: Start = input === null ? { kind: "continue" } : { kind: "input", input };
      return this.#lanes.launch(lane, { row: current, start, ...given });
    });
  }

  /**
   * Takes an answer and begins the run that acts on it, or queues it behind the live one. The same answer sent again
   * joins the run it began.
   *
   * @throws {DeskError} when it cannot be taken. Everything is as it was then.
   */
  answer(row: ThreadRow, answer: unknown, given: GivenRun, checkpoint_id?: string): Promise<Run> {
    return this.#answering.run(row.thread_id, () => this.#answer(row, answer, given, checkpoint_id));
  }

  async #answer(row: ThreadRow, answer: unknown, given: GivenRun, checkpoint_id?: string): Promise<Run> {
    const { thread_id } = row;
    const answer_digest = digest({ thread_id, answer: answer ?? null });
    const taken = await this.#take(row, answer, checkpoint_id).catch(async (error: unknown) => {
      const run = isStale(error) ? await this.#begunBy(row, answer_digest, given.wishes) : undefined;
      if (run === undefined) throw error;
      return run;
    });
    if (!("settled" in taken)) return taken;
    const { settled, others } = taken;
    const live = this.#lanes.get(thread_id);
    const run = live?.queued?.run ?? newRun(thread_id, given.wishes);
    if (live) {
      for (const approval of settled) live.woken.set(approval.approval_id, approval);
      const both = { ...live.queued?.others, ...others };
      live.queued = { run, wishes: live.queued?.wishes ?? given.wishes, others: both, answer_digest };
      live.answers.set(answer_digest, run);
      return run;
    }
    return this.#lanes.open(thread_id, async (lane) => {
      for (const approval of settled) lane.woken.set(approval.approval_id, approval);
      lane.answers.set(answer_digest, run);
      const start: Start = { kind: "answers", approvals: lane.takeWoken(), others };
      return this.#lanes.launch(lane, { row, start, ...given, run, answer_digest });
    });
  }

  async #take(row: ThreadRow, answer: unknown, checkpoint_id: string | undefined): Promise<Taken> {
    if (this.#lanes.isStopping)
      throw new ServerError("stopping", "The server is stopping. Send again when it is back.");
    const state = await stateOf(this.#ports, row);
    const head: unknown = state?.config.configurable?.["checkpoint_id"];
    if (checkpoint_id !== undefined && checkpoint_id !== head) {
      const message = '"checkpoint_id" is not the newest one. An answer is for what is open now.';
      throw new ServerError("old_checkpoint", message);
    }
    if (!state) throw new DeskError("not_pending", "Nothing is waiting for a decision on this thread.");
    return takeAnswer(this.#ports, row.thread_id, state, answer);
  }

  /** The run that the very same answer began before: live, or the thread's newest. */
  async #begunBy(row: ThreadRow, answer_digest: string, wishes: RunWishes): Promise<Run | undefined> {
    const live = this.#lanes.get(row.thread_id)?.answers.get(answer_digest);
    if (live) return live;
    const newest = row.run_id === null ? undefined : await this.#ports.runs.get(row.run_id);
    if (newest?.answer_digest !== answer_digest) return undefined;
    return this.#lanes.open(row.thread_id, async (lane) => {
      // Nothing is left to bring: what the client gets is how the thread stands.
      return this.#lanes.launch(lane, {
        row,
        start: null,
        run: newRun(row.thread_id, wishes),
        wishes,
        answer_digest,
      });
    });
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
    const waking = launched.then((run) => ({ run_id: run?.run_id ?? null, resumed: run !== null }));
    if (lane) lane.waking = waking;
    return waking.finally(() => {
      if (lane) lane.waking = null;
    });
  }

  async #launchWoken(lane: Lane): Promise<Run | null> {
    const row = await this.#ports.threads.get(lane.thread_id);
    // Those that came meanwhile go along.
    const approvals = lane.takeWoken();
    // Not a thread of this server, or nobody waits in a graph for it.
    if (!row?.graph_id || approvals.size === 0) return null;
    return this.#lanes.launch(lane, { row, start: { kind: "answers", approvals, others: {} } });
  }

  /** Lets a thread go on that an earlier process left. Resolves to whether there was anything to do. */
  async recover(row: ThreadRow): Promise<boolean> {
    const run = await this.#lanes.open(row.thread_id, async (lane) => {
      const state = await stateOf(this.#ports, row);
      const entry = state && (await nextEntry(this.#ports.ledger, state, lane.tried));
      // Tasks that wait for nobody were cut off, unless the thread had come to rest.
      if (!entry || (entry.kind === "continue" && row.status !== "busy")) return null;
      return this.#lanes.launch(lane, { row, start: entry });
    });
    return run !== null;
  }

  /** Ends a run at once and withdraws its questions. A tool that runs already goes on to its end. */
  async cancel(run: Run, reason: string): Promise<void> {
    await cancelRun(this.#ports, run, reason);
    await this.idle(run.thread_id);
  }

  /** Begins no more runs and drains those that are live, for at most `ms` milliseconds. */
  stop(ms: number): Promise<void> {
    return this.#lanes.stop(ms);
  }
}

/** Whether an answer was refused because it, or another one, was taken before. */
function isStale(error: unknown): boolean {
  return error instanceof DeskError && error.code !== "ambiguous" && error.code !== "invalid_decision";
}
