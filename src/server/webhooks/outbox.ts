import { ask, askOne, type Database, type Work } from "../../ledger/sql/index.ts";
import type { ServerTables } from "../database/tables.ts";

/** Something that is still to be told to somebody over HTTP. */
export interface Message {
  /** What is told once has one id, however often it is sent. */
  message_id: string;
  /** The thread that it is of; `null` where it is of several. */
  thread_id: string | null;
  url: string;
  body: string;
  /** How often it was tried. */
  attempts: number;
  /** When it is tried next, by the machine's clock. While somebody is at it, that is when they count as gone. */
  due_ms: number;
  /** The owner's own address that it is for; `null` for one that a client gave. */
  target: string | null;
  /** What it is about. Messages to one target about one subject go in the order of their places. */
  subject: string | null;
  place: number | null;
}

interface OutboxTables extends ServerTables {
  outbox: Message;
}

/** What is still to be told, on disk. Processes that share a store share it. */
export class Outbox {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Keeps the end of a run, and lets the run be done with it; false when somebody else has kept it. */
  async addOfRun(message: Message, run_id: string): Promise<boolean> {
    const clear = this.#build()
      .updateTable("server_runs")
      .set({ webhook: null })
      .where("run_id", "=", run_id)
      .where("webhook", "is not", null)
      .returning("run_id")
      .compile();
    const adding = (): Work<boolean> => this.adding(message);
    return this.#database.run(function* () {
      // Whoever is told that the run is done with it has kept it, and may have told it by now.
      if ((yield* askOne(clear)) === undefined) return false;
      return yield* adding();
    });
  }

  /** Keeps a message, as part of a transaction; false when it is kept already. */
  *adding(message: Message): Work<boolean> {
    const insert = this.#build()
      .insertInto("outbox")
      .values(message)
      .onConflict((conflict) => conflict.column("message_id").doNothing())
      .returning("message_id")
      .compile();
    return (yield* askOne(insert)) !== undefined;
  }

  /** What is due, of clients' addresses and of these targets; of a subject only what comes first. */
  async due(now: number, targets: readonly string[], limit: number): Promise<Message[]> {
    const select = this.#build()
      .selectFrom("outbox")
      .selectAll()
      .where("due_ms", "<=", now)
      .where((row) =>
        targets.length === 0
          ? row("target", "is", null)
          : row.or([row("target", "is", null), row("target", "in", targets)]),
      )
      .where((row) =>
        row.not(
          row.exists(
            row
              .selectFrom("outbox as before")
              .select("before.message_id")
              .whereRef("before.subject", "=", "outbox.subject")
              .whereRef("before.target", "=", "outbox.target")
              .whereRef("before.place", "<", "outbox.place"),
          ),
        ),
      )
      .orderBy("due_ms")
      .orderBy("place")
      .limit(limit)
      .compile();
    return this.#database.read(() => ask(select));
  }

  /** Puts a message off; false when another process was quicker, or when it is told or gone. */
  async claim({ message_id, due_ms }: Message, next: Partial<Message>): Promise<boolean> {
    const update = this.#build()
      .updateTable("outbox")
      .set(next)
      .where("message_id", "=", message_id)
      .where("due_ms", "=", due_ms)
      .returning("message_id")
      .compile();
    return (await this.#database.run(() => askOne(update))) !== undefined;
  }

  async remove(message_id: string): Promise<void> {
    const drop = this.#build().deleteFrom("outbox").where("message_id", "=", message_id).compile();
    await this.#database.run(() => ask(drop));
  }

  /** Forgets what was due before then and is for a target: nobody knows that target any more. */
  async forget(before: number): Promise<void> {
    const drop = this.#build()
      .deleteFrom("outbox")
      .where("target", "is not", null)
      .where("due_ms", "<", before)
      .compile();
    await this.#database.run(() => ask(drop));
  }

  #build() {
    return this.#database.builder<OutboxTables>();
  }
}

/** Forgets what was to be told of a thread that goes. */
export function* dropMessages(database: Database, thread_id: string): Work<void> {
  const build = database.builder<OutboxTables>();
  yield* ask(build.deleteFrom("outbox").where("thread_id", "=", thread_id).compile());
}
