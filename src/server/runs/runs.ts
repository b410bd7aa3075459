import type { RunRow, RunStatus, ServerTables, ThreadStatus } from "../database/tables.ts";
import { ask, askOne, type Database, type Work } from "../../ledger/sql/index.ts";
import {
  beginThread,
  changeThread,
  dropMark,
  endRun,
  endThread,
  insertRun,
  type BegunThread,
} from "./run-writes.ts";

/** How a run ended, and how its thread stands from then on. */
export interface RunEnd {
  status: RunStatus;
  error: string | null;
  thread_status: ThreadStatus;
  at: string;
}

/** That a run is to be cancelled: why, and who wants it. */
export type CancelMark = Pick<RunRow, "cancel_reason" | "cancelled_by">;

/** How a list of runs is asked for. */
export interface RunQuery {
  statuses?: readonly RunStatus[] | undefined;
  limit: number;
  offset: number;
}

/** The runs of the threads. A run and what it means for its thread are written in one step. */
export class Runs {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a run that waits. */
  async add(run: RunRow): Promise<void> {
    const insert = this.#build().insertInto("server_runs").values(run).compile();
    await this.#database.run(() => ask(insert));
  }

  /** Begins a run, one that waited or was cut off too; its thread is busy from then on. */
  *beginning(run: RunRow, thread: BegunThread | null): Work<void> {
    const { dialect } = this.#database;
    yield* insertRun.rows(dialect, run);
    yield* beginThread.rows(dialect, run);
    if (thread) yield* changeThread.rows(dialect, { ...thread, thread_id: run.thread_id });
  }

  /** Ends a run. A thread that has gone meanwhile stays gone. */
  *ending({ run_id, thread_id }: Pick<RunRow, "run_id" | "thread_id">, end: RunEnd): Work<void> {
    const { status, error, thread_status, at } = end;
    const { dialect } = this.#database;
    yield* endRun.rows(dialect, { run_id, status, error, at });
    // Whoever wanted it cancelled came too late: it has ended by itself.
    if (status === "success" || status === "error") yield* dropMark.rows(dialect, { run_id });
    yield* endThread.rows(dialect, { thread_id, status: thread_status, error, at });
  }

  async end(run: Pick<RunRow, "run_id" | "thread_id">, end: RunEnd): Promise<void> {
    await this.#database.run(() => this.ending(run, end));
  }

  /** Changes a run alone. */
  async set(run_id: string, change: Partial<Omit<RunRow, "run_id">>): Promise<void> {
    const update = this.#build()
      .updateTable("server_runs")
      .set(change)
      .where("run_id", "=", run_id)
      .compile();
    await this.#database.run(() => ask(update));
  }

  async get(run_id: string): Promise<RunRow | undefined> {
    const select = this.#build().selectFrom("server_runs").selectAll().where("run_id", "=", run_id).compile();
    return this.#database.read(() => askOne(select));
  }

  /** The runs of a thread, the newest first. */
  async list(thread_id: string, { statuses, limit, offset }: RunQuery): Promise<RunRow[]> {
    let select = this.#build().selectFrom("server_runs").selectAll().where("thread_id", "=", thread_id);
    if (statuses) select = select.where("status", "in", statuses);
    const query = select.orderBy("run_id", "desc").limit(limit).offset(offset).compile();
    return this.#database.read(() => ask(query));
  }

  /** Runs that have ended and whose webhooks nobody took care of. */
  async untold(): Promise<RunRow[]> {
    const select = this.#build()
      .selectFrom("server_runs")
      .selectAll()
      .where("webhook", "is not", null)
      .where("status", "in", ["success", "interrupted", "error", "cancelled"])
      // One that was cancelled before it began has no end to tell of.
      .where("attempt", ">", 0)
      .orderBy("run_id")
      .compile();
    return this.#database.read(() => ask(select));
  }

  /** Runs of all threads that stand in one of these ways, the oldest first. */
  async standing(statuses: readonly RunStatus[]): Promise<RunRow[]> {
    const select = this.#build()
      .selectFrom("server_runs")
      .selectAll()
      .where("status", "in", statuses)
      .orderBy("run_id")
      .compile();
    return this.#database.read(() => ask(select));
  }

  /** Writes down that a run is to be cancelled, and why. One that has ended stays as it is. */
  async mark(run_id: string, mark: CancelMark): Promise<void> {
    const update = this.#build()
      .updateTable("server_runs")
      .set(mark)
      .where("run_id", "=", run_id)
      .where("status", "in", ["pending", "running", "drained", "interrupted"])
      .compile();
    await this.#database.run(() => ask(update));
  }

  /** Ends a run that waits; false when it does not wait any more, whichever process has begun or ended it. */
  async cancelWaiting(run_id: string, mark: CancelMark, at: string): Promise<boolean> {
    const update = this.#build()
      .updateTable("server_runs")
      .set({ ...mark, status: "cancelled", ended_at: at, updated_at: at })
      .where("run_id", "=", run_id)
      .where("status", "=", "pending")
      .returning("run_id")
      .compile();
    return (await this.#database.run(() => askOne(update))) !== undefined;
  }

  /** The runs that wait, in whichever process, and that nobody wants to be cancelled. */
  async waiting(): Promise<Set<string>> {
    const select = this.#build()
      .selectFrom("server_runs")
      .select("run_id")
      .where("status", "=", "pending")
      .where("cancel_reason", "is", null)
      .compile();
    return new Set((await this.#database.read(() => ask(select))).map(({ run_id }) => run_id));
  }

  /** The threads whose newest run stopped at a question and was being cancelled there. */
  async halfCancelled(): Promise<string[]> {
    const select = this.#build()
      .selectFrom("server_runs")
      .innerJoin("server_threads", "server_threads.run_id", "server_runs.run_id")
      .select("server_runs.thread_id")
      .where("server_runs.status", "=", "interrupted")
      .where("server_runs.cancel_reason", "is not", null)
      .compile();
    return (await this.#database.read(() => ask(select))).map(({ thread_id }) => thread_id);
  }

  /** Those of these runs that somebody wants to be cancelled. */
  async toCancel(run_ids: readonly string[]): Promise<(CancelMark & Pick<RunRow, "run_id">)[]> {
    const select = this.#build()
      .selectFrom("server_runs")
      .select(["run_id", "cancel_reason", "cancelled_by"])
      .where("run_id", "in", run_ids)
      .where("cancel_reason", "is not", null)
      .compile();
    return this.#database.read(() => ask(select));
  }

  /** Those of these runs that were cancelled. */
  async cancelled(run_ids: readonly string[]): Promise<(CancelMark & Pick<RunRow, "run_id">)[]> {
    const select = this.#build()
      .selectFrom("server_runs")
      .select(["run_id", "cancel_reason", "cancelled_by"])
      .where("run_id", "in", run_ids)
      .where("status", "=", "cancelled")
      .compile();
    return run_ids.length === 0 ? [] : this.#database.read(() => ask(select));
  }

  /** The run that waits longest on a thread and may begin at `now`. */
  async next(thread_id: string, now: string): Promise<RunRow | undefined> {
    const select = this.#build()
      .selectFrom("server_runs")
      .selectAll()
      .where("thread_id", "=", thread_id)
      .where("status", "=", "pending")
      .where("cancel_reason", "is", null)
      .where((either) => either.or([either("starts_at", "is", null), either("starts_at", "<=", now)]))
      .orderBy("run_id")
      .limit(1)
      .compile();
    return this.#database.read(() => askOne(select));
  }

  async remove(run_id: string): Promise<void> {
    const drop = this.#build().deleteFrom("server_runs").where("run_id", "=", run_id).compile();
    await this.#database.run(() => ask(drop));
  }

  #build() {
    return this.#database.builder<ServerTables>();
  }
}
