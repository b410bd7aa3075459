import { ask, askOne, Operation, type Database, type Work } from "../../ledger/sql/index.ts";
import type { ServerTables, ThreadRow, ThreadStatus } from "../database/tables.ts";
import type { Principal } from "../identity/principal.ts";
import { isOfOthers } from "../keeping/former-owners.ts";

/** How a list of threads is asked for. */
export interface ThreadQuery {
  ids?: string[];
  owner?: string;
  status?: ThreadStatus;
  sort_by: "created_at" | "updated_at" | "thread_id" | "status";
  sort_order: "asc" | "desc";
}

const byId = new Operation<{ thread_id: string }, ThreadRow, ServerTables>((build, { thread_id }) =>
  build.selectFrom("server_threads").selectAll().where("thread_id", "=", thread_id),
);

/** The threads that the server knows. Plain rows: what they mean is said elsewhere. */
export class Threads {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a thread; false when there is one of this id, or what is left of one that was not theirs. */
  async add(row: ThreadRow, by: Principal): Promise<boolean> {
    const insert = this.#build()
      .insertInto("server_threads")
      .values(row)
      .onConflict((conflict) => conflict.column("thread_id").doNothing())
      .returning("thread_id")
      .compile();
    const database = this.#database;
    return database.run(function* () {
      if (yield* isOfOthers(database, row.thread_id, by)) return false;
      return (yield* askOne(insert)) !== undefined;
    });
  }

  /** Whether nobody but an admin may make a thread of this id, though there is none. */
  isOfOthers(thread_id: string, by: Principal): Promise<boolean> {
    return this.#database.read(() => isOfOthers(this.#database, thread_id, by));
  }

  async get(thread_id: string): Promise<ThreadRow | undefined> {
    return this.#database.read(() => byId.row(this.#database.dialect, { thread_id }));
  }

  async search({ ids, owner, status, sort_by, sort_order }: ThreadQuery): Promise<ThreadRow[]> {
    let select = this.#build().selectFrom("server_threads").selectAll();
    if (ids) select = select.where("thread_id", "in", ids);
    if (owner !== undefined) select = select.where("owner", "=", owner);
    if (status) select = select.where("status", "=", status);
    const query = select.orderBy(sort_by, sort_order).orderBy("thread_id").compile();
    return this.#database.read(() => ask(query));
  }

  /** How many threads have a status. */
  async count(status: ThreadStatus): Promise<number> {
    const count = this.#build()
      .selectFrom("server_threads")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("status", "=", status)
      .compile();
    return (await this.#database.read(() => askOne(count)))?.count ?? 0;
  }

  async setStatus(thread_id: string, status: ThreadStatus, error: string | null, at: string): Promise<void> {
    const update = this.#build()
      .updateTable("server_threads")
      .set({ status, error, updated_at: at })
      .where("thread_id", "=", thread_id)
      .compile();
    await this.#database.run(() => ask(update));
  }

  /** Changes a thread, going out from how it stands at that moment. Gives it as it is then, if there is one. */
  async change(
    thread_id: string,
    change: (row: ThreadRow) => Partial<ThreadRow>,
  ): Promise<ThreadRow | undefined> {
    const build = this.#build();
    const select = build
      .selectFrom("server_threads")
      .selectAll()
      .where("thread_id", "=", thread_id)
      .$if(this.#database.dialect === "postgres", (query) => query.forUpdate())
      .compile();
    return this.#database.run(function* () {
      const row = yield* askOne(select);
      if (row === undefined) return undefined;
      const changed = change(row);
      yield* ask(
        build.updateTable("server_threads").set(changed).where("thread_id", "=", thread_id).compile(),
      );
      return { ...row, ...changed };
    });
  }

  /** Adds to a thread's metadata, key by key. */
  addMetadata(thread_id: string, metadata: object, updated_at: string): Promise<ThreadRow | undefined> {
    return this.change(thread_id, ({ metadata_json }) => ({
      metadata_json: JSON.stringify({ ...(JSON.parse(metadata_json) as object), ...metadata }),
      updated_at,
    }));
  }

  /** Forgets a thread and its runs. */
  *removing(thread_id: string): Work<void> {
    const thread = this.#build().deleteFrom("server_threads").where("thread_id", "=", thread_id).compile();
    const runs = this.#build().deleteFrom("server_runs").where("thread_id", "=", thread_id).compile();
    yield* ask(runs);
    yield* ask(thread);
  }

  #build() {
    return this.#database.builder<ServerTables>();
  }
}
