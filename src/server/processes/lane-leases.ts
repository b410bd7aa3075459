import { Operation, type Database } from "../../ledger/sql/index.ts";
import type { ServerTables, ThreadRow } from "../database/tables.ts";

type Named<Given extends object, Row = unknown> = Operation<Given, Row, ServerTables>;
type Held = Pick<ThreadRow, "lane_owner" | "status">;

/** A thread that is busy belongs to a run that was cut off: only whoever takes that run up gets it. */
const takeFree: Named<{ thread_id: string; owner_id: string }, { thread_id: string }> = new Operation(
  (build, { thread_id, owner_id }) =>
    build
      .updateTable("server_threads")
      .set({ lane_owner: owner_id })
      .where("thread_id", "=", thread_id)
      .where("lane_owner", "is", null)
      .where("status", "<>", "busy")
      .returning("thread_id"),
);

const takeLeft: Named<{ thread_id: string; owner_id: string }, { thread_id: string }> = new Operation(
  (build, { thread_id, owner_id }) =>
    build
      .updateTable("server_threads")
      .set({ lane_owner: owner_id })
      .where("thread_id", "=", thread_id)
      .where("lane_owner", "is", null)
      .returning("thread_id"),
);

const giveBack: Named<{ thread_id: string; owner_id: string }> = new Operation(
  (build, { thread_id, owner_id }) =>
    build
      .updateTable("server_threads")
      .set({ lane_owner: null })
      .where("thread_id", "=", thread_id)
      .where("lane_owner", "=", owner_id),
);

const holder: Named<{ thread_id: string }, Held> = new Operation((build, { thread_id }) =>
  build.selectFrom("server_threads").select(["lane_owner", "status"]).where("thread_id", "=", thread_id),
);

/** The right to go on with a thread, which one process has at a time. */
export class LaneLeases {
  readonly #database: Database;
  readonly owner_id: string;
  /** Those that are being given back, so that taking one again comes after that. */
  readonly #leaving = new Map<string, Promise<unknown>>();

  constructor(database: Database, owner_id: string) {
    this.#database = database;
    this.owner_id = owner_id;
  }

  /**
   * Takes a thread; false when another process has it, or is about to take it up. A thread that is not there is free.
   *
   * @param isLeft also takes one whose run was cut off.
   */
  async take(thread_id: string, { isLeft = false } = {}): Promise<boolean> {
    await this.#leaving.get(thread_id);
    const { dialect } = this.#database;
    const { owner_id } = this;
    return this.#database.run(function* () {
      const taken = yield* (isLeft ? takeLeft : takeFree).row(dialect, { thread_id, owner_id });
      if (taken) return true;
      const held = yield* holder.row(dialect, { thread_id });
      return held === undefined || held.lane_owner === owner_id;
    });
  }

  /** Whether this process still has a thread that it took. One that was deleted meanwhile is nobody else's. */
  async isMine(thread_id: string): Promise<boolean> {
    const { dialect } = this.#database;
    const held = await this.#database.read(() => holder.row(dialect, { thread_id }));
    return held === undefined || held.lane_owner === this.owner_id;
  }

  /** Whether another process goes on with a thread, as its row says. */
  isWithOther({ lane_owner }: Pick<ThreadRow, "lane_owner">): boolean {
    return lane_owner !== null && lane_owner !== this.owner_id;
  }

  /** Gives a thread back. On SQLite that is done when this returns. */
  release(thread_id: string): Promise<unknown> {
    const { dialect } = this.#database;
    const given = { thread_id, owner_id: this.owner_id };
    const leaving: Promise<unknown> = this.#database
      .run(() => giveBack.rows(dialect, given))
      .finally(() => {
        if (this.#leaving.get(thread_id) === leaving) this.#leaving.delete(thread_id);
      });
    this.#leaving.set(
      thread_id,
      leaving.catch(() => undefined),
    );
    return leaving;
  }

  /** Whether something goes on with a thread in another process, or will once a run that was cut off is taken up. */
  async isElsewhere(thread_id: string): Promise<boolean> {
    const { dialect } = this.#database;
    const held = await this.#database.read(() => holder.row(dialect, { thread_id }));
    if (held === undefined || held.lane_owner === this.owner_id) return false;
    return held.lane_owner !== null || held.status === "busy";
  }
}
