import type { RunRow, RunStatus, ServerTables, ThreadRow, ThreadStatus } from "../database/tables.ts";
import { ask, askOne, type Database } from "../../ledger/sql/index.ts";

/** How a run ended, and how its thread stands from then on. */
export interface RunEnd {
  status: RunStatus;
  error: string | null;
  thread_status: ThreadStatus;
  at: string;
}

/** What changes in the thread when a run begins on it. */
export type BegunThread = Pick<ThreadRow, "metadata_json" | "graph_id" | "assistant_id" | "order_json">;

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
  async begin(run: RunRow, thread: Partial<BegunThread>): Promise<void> {
    const { run_id, thread_id, updated_at, status, attempt, from_checkpoint } = run;
    const insert = this.#build()
      .insertInto("server_runs")
      .values(run)
      .onConflict((conflict) =>
        conflict.column("run_id").doUpdateSet({
          ...{ status, attempt, from_checkpoint, updated_at },
          ...{ ended_at: null, error: null, starts_at: null },
        }),
      )
      .compile();
    const update = this.#build()
      .updateTable("server_threads")
      .set({ ...thread, status: "busy", error: null, run_id, updated_at })
      .where("thread_id", "=", thread_id)
      .compile();
    await this.#database.run(function* () {
      yield* ask(insert);
      yield* ask(update);
    });
  }

  /** Ends a run. A thread that has gone meanwhile stays gone. */
  async end({ run_id, thread_id }: Pick<RunRow, "run_id" | "thread_id">, end: RunEnd): Promise<void> {
    const { status, error, thread_status, at } = end;
    const run = this.#build()
      .updateTable("server_runs")
      .set({ status, error, ended_at: at, updated_at: at })
      .where("run_id", "=", run_id)
      .compile();
    const thread = this.#build()
      .updateTable("server_threads")
      .set({ status: thread_status, error, updated_at: at })
      .where("thread_id", "=", thread_id)
      .compile();
    await this.#database.run(function* () {
      yield* ask(run);
      yield* ask(thread);
    });
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

  /** The run that waits longest on a thread and may begin at `now`. */
  async next(thread_id: string, now: string): Promise<RunRow | undefined> {
    const select = this.#build()
      .selectFrom("server_runs")
      .selectAll()
      .where("thread_id", "=", thread_id)
      .where("status", "=", "pending")
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
