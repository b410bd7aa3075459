import { ask, askOne, type Database } from "../../ledger/sql/index.ts";
import type { RunRow, RunStatus, ServerTables, ThreadRow, ThreadStatus } from "../database/tables.ts";

/** How a run ended, and how its thread stands from then on. */
export interface RunEnd {
  status: RunStatus;
  error: string | null;
  thread_status: ThreadStatus;
  at: string;
}

/** What changes in the thread when a run begins on it. */
export type BegunThread = Pick<ThreadRow, "metadata_json" | "graph_id" | "assistant_id" | "order_json">;

/** The runs of the threads. A run and what it means for its thread are written in one step. */
export class Runs {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Begins a run; its thread is busy from then on. */
  async begin(run: RunRow, thread: Partial<BegunThread>): Promise<void> {
    const { run_id, thread_id, created_at } = run;
    const insert = this.#build().insertInto("server_runs").values(run).compile();
    const update = this.#build()
      .updateTable("server_threads")
      .set({ ...thread, status: "busy", error: null, run_id, updated_at: created_at })
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
      .set({ status, error, ended_at: at })
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

  /** Ends the runs that an earlier process left running. */
  async endLeft(thread_id: string, at: string): Promise<void> {
    const update = this.#build()
      .updateTable("server_runs")
      .set({ status: "drained", error: "The server stopped before the run's end.", ended_at: at })
      .where("thread_id", "=", thread_id)
      .where("status", "=", "running")
      .compile();
    await this.#database.run(() => ask(update));
  }

  async get(run_id: string): Promise<RunRow | undefined> {
    const select = this.#build().selectFrom("server_runs").selectAll().where("run_id", "=", run_id).compile();
    return this.#database.read(() => askOne(select));
  }

  #build() {
    return this.#database.builder<ServerTables>();
  }
}
