import { DeskError } from "../../desk/index.ts";
import { digest, type Approval } from "../../ledger/index.ts";
import type { RunRow, ThreadRow } from "../database/tables.ts";
import { decider, type Principal } from "../identity/principal.ts";
import { ServerError } from "../problem.ts";
import { isAddressed } from "../questions/address.ts";
import { pendingOf } from "../threads/open-questions.ts";
import { stateOf } from "../threads/thread-view.ts";
import { takeAnswer } from "./answering.ts";
import type { Lane } from "./lane.ts";
import { isBusy, type Lanes } from "./lanes.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import type { RunPorts } from "./run-ports.ts";
import { prepare, type GivenRun, type PreparedRun } from "./run-record.ts";
import type { Run } from "./run.ts";
import { stillWaits } from "./still-waits.ts";
import { wokenEntry } from "./woken-entry.ts";

/** How many runs of a thread are looked at for one that the same answer began. */
const LOOKED_BACK = 10;

/** Takes the answers of LangGraph's clients, and begins or queues the runs that act on them. */
export class Answers {
  readonly #ports: RunPorts;
  readonly #lanes: Lanes;
  readonly #answering = new OneAtATime();

  constructor(ports: RunPorts, lanes: Lanes) {
    this.#ports = ports;
    this.#lanes = lanes;
  }

  /**
   * Takes an answer and begins the run that acts on it, or queues it behind the live one. The same answer sent again
   * joins the run it began.
   *
   * @throws {DeskError} when it cannot be taken. Everything is as it was then.
   */
  take(row: ThreadRow, answer: unknown, given: GivenRun): Promise<Run> {
    return this.#answering.run(row.thread_id, () => this.#answer(row, answer, given));
  }

  async #answer(row: ThreadRow, answer: unknown, given: GivenRun): Promise<Run> {
    const { thread_id } = row;
    const answer_digest = digest({ thread_id, answer: answer ?? null });
    // Sent again while its run is live, it is the same answer, and not one to a question that nobody has seen yet.
    const begun = this.#lanes.get(thread_id)?.answers.get(answer_digest);
    if (begun && begun.requested_by === given.by.id) return begun;
    if (begun && !isAddressed(answer)) throw takenBefore();
    const prepared = (): PreparedRun =>
      prepare(this.#ports, thread_id, given, { beginning: { kind: "answers" }, answer_digest });
    const repeated = await this.#repeated(row, answer, answer_digest);
    if (repeated && repeated.requested_by !== given.by.id) throw takenBefore();
    if (repeated) return this.#show(row, prepared());
    const taken = await this.#decide(row, answer, given).catch(async (error: unknown) => {
      const run = isStale(error) ? await this.#begunBy(row, answer_digest, prepared, given.by) : undefined;
      if (run === undefined) throw error;
      return run;
    });
    if (!Array.isArray(taken)) return taken;
    // Those that need more votes are open as before: nobody is to be woken for them.
    const settled = taken.filter(({ status }) => status !== "pending");
    const live = this.#lanes.get(thread_id);
    if (live) {
      for (const approval of settled) live.woken.set(approval.approval_id, approval);
      const queued = live.queued?.prepared ?? prepared();
      // Known before its turn, so that its client can ask how it stands.
      if (live.queued === null) await this.#ports.runs.add(queued.record);
      live.queued = { prepared: queued };
      live.answers.set(answer_digest, queued.run);
      // The live run may have left in the meantime: then nobody else looks.
      if (this.#lanes.get(thread_id) === live) return queued.run;
      live.queued = null;
      return this.#launch(row, { ...queued, settled, answer_digest });
    }
    return this.#launch(row, { ...prepared(), settled, answer_digest });
  }

  #launch(
    row: ThreadRow,
    { settled, answer_digest, ...prepared }: PreparedRun & { settled: Approval[]; answer_digest: string },
  ): Promise<Run> {
    return this.#openOrLater(prepared, async (lane) => {
      for (const approval of settled) lane.woken.set(approval.approval_id, approval);
      lane.answers.set(answer_digest, prepared.run);
      // `null` when other decisions are needed before the graph can go on: then only how it stands is told.
      const start = await wokenEntry(this.#ports, row, lane);
      return this.#lanes.launch(lane, { ...prepared, row, start });
    });
  }

  /** Begins a run at once, or behind what another process does on the thread: the answer itself is taken. */
  async #openOrLater(prepared: PreparedRun, work: (lane: Lane) => Promise<Run>): Promise<Run> {
    const { run, record } = prepared;
    const { thread_id } = record;
    try {
      return await this.#lanes.open(thread_id, work);
    } catch (error) {
      if (!isBusy(error)) throw error;
      await this.#ports.runs.add(record);
      void this.#later(prepared, work).catch((failure: unknown) => {
        this.#ports.onError(failure);
        run.finish({ status: "error", error: failure });
      });
      return run;
    }
  }

  async #later(prepared: PreparedRun, work: (lane: Lane) => Promise<Run>): Promise<void> {
    const { thread_id } = prepared.record;
    for (;;) {
      await this.#lanes.untilFree(thread_id);
      // What was decided is acted upon without it.
      if (!(await stillWaits(this.#ports, prepared))) return;
      try {
        await this.#lanes.open(thread_id, work);
        return;
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
  }

  async #decide(row: ThreadRow, answer: unknown, given: GivenRun): Promise<Approval[]> {
    const { checkpoint_id, by } = given;
    this.#lanes.assertRunning();
    if (checkpoint_id === undefined && (await this.#isOurs(row)))
      return takeAnswer(this.#ports, row, { state: null, answer, by: decider(by) });
    const state = await stateOf(this.#ports, row);
    const head: unknown = state?.config.configurable?.["checkpoint_id"];
    if (checkpoint_id !== undefined && checkpoint_id !== head) {
      const message = '"checkpoint_id" is not the newest one. An answer is for what is open now.';
      throw new ServerError("old_checkpoint", message);
    }
    if (!state) throw new DeskError("not_pending", "Nothing is waiting for a decision on this thread.");
    return takeAnswer(this.#ports, row, { state, answer, by: decider(by) });
  }

  /** Whether all that is open is known from the ledger: then the state, which takes longer to read, is not needed. */
  async #isOurs({ thread_id }: ThreadRow): Promise<boolean> {
    // A graph that runs may be asking something of its own just now.
    if (this.#lanes.get(thread_id)) return false;
    const pending = await pendingOf(this.#ports.ledger, thread_id);
    return pending.length > 0 && pending.every(({ kind }) => kind !== "interrupt");
  }

  /** The run that the very same answer of the same sender began before: live, or the thread's newest. */
  async #begunBy(
    row: ThreadRow,
    answer_digest: string,
    prepared: () => PreparedRun,
    by: Principal,
  ): Promise<Run | undefined> {
    const live = this.#lanes.get(row.thread_id)?.answers.get(answer_digest);
    if (live?.requested_by === by.id) return live;
    const newest = row.run_id === null ? undefined : await this.#ports.runs.get(row.run_id);
    if (newest?.answer_digest !== answer_digest || newest.requested_by !== by.id) return undefined;
    return this.#show(row, prepared());
  }

  /**
   * The run that a bare answer began before, where it is sent again: what is open now came after it, and nobody was told
   * of that yet. As an answer to a new question it would be one to a question that its sender has not seen.
   */
  async #repeated({ thread_id }: ThreadRow, answer: unknown, answer_digest: string): Promise<RunRow | null> {
    if (isAddressed(answer) || this.#lanes.get(thread_id)) return null;
    const { runs, ledger, told } = this.#ports;
    const newest = await runs.list(thread_id, { limit: LOOKED_BACK, offset: 0 });
    const begun = newest.find((run) => run.answer_digest === answer_digest);
    if (begun === undefined) return null;
    const pending = await pendingOf(ledger, thread_id);
    const isUnseen = pending.some(
      ({ run_id, interrupt_id }) => run_id !== null && run_id >= begun.run_id && !told.has(interrupt_id),
    );
    return isUnseen ? begun : null;
  }

  /** Nothing is left to bring: what the client gets is how the thread stands. */
  #show(row: ThreadRow, prepared: PreparedRun): Promise<Run> {
    return this.#openOrLater(prepared, (lane) => this.#lanes.launch(lane, { ...prepared, row, start: null }));
  }
}

function takenBefore(): DeskError {
  const message =
    "Somebody else gave the same answer first, and it names no question. Read the thread, and name what yours is for.";
  return new DeskError("not_pending", message);
}

/** Whether an answer was refused because it, or another one, was taken before. */
function isStale(error: unknown): boolean {
  return error instanceof DeskError && error.code !== "ambiguous" && error.code !== "invalid_decision";
}
