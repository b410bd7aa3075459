import { ask, askOne, type Database, type Work } from "../../ledger/sql/index.ts";
import type { ServerTables } from "../database/tables.ts";

/** A webhook that is still to be told. */
export interface WaitingWebhook {
  /** One end of a run is told under one id, however often. */
  run_id: string;
  thread_id: string;
  url: string;
  body: string;
  /** How often it was tried. */
  attempts: number;
  /** When it is tried next, by the machine's clock. While somebody is at it, that is when they count as gone. */
  due_ms: number;
}

interface WebhookTables extends ServerTables {
  webhooks_waiting: WaitingWebhook;
}

/** The webhooks that are still to be told, on disk. */
export class WaitingWebhooks {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Keeps a webhook, and lets its run be done with it; false when somebody else has kept it. */
  async add(webhook: WaitingWebhook): Promise<boolean> {
    const insert = this.#build()
      .insertInto("webhooks_waiting")
      .values(webhook)
      .onConflict((conflict) => conflict.column("run_id").doNothing())
      .returning("run_id")
      .compile();
    const clear = this.#build()
      .updateTable("server_runs")
      .set({ webhook: null })
      .where("run_id", "=", webhook.run_id)
      .where("webhook", "is not", null)
      .returning("run_id")
      .compile();
    return this.#database.run(function* () {
      // Whoever is told that the run is done with it has kept it, and may have told it by now.
      if ((yield* askOne(clear)) === undefined) return false;
      return (yield* askOne(insert)) !== undefined;
    });
  }

  async due(now: number, limit: number): Promise<WaitingWebhook[]> {
    const select = this.#build()
      .selectFrom("webhooks_waiting")
      .selectAll()
      .where("due_ms", "<=", now)
      .orderBy("due_ms")
      .limit(limit)
      .compile();
    return this.#database.read(() => ask(select));
  }

  /** Puts a webhook off; false when another process was quicker, or when it is told or gone. */
  async claim({ run_id, due_ms }: WaitingWebhook, next: Partial<WaitingWebhook>): Promise<boolean> {
    const update = this.#build()
      .updateTable("webhooks_waiting")
      .set(next)
      .where("run_id", "=", run_id)
      .where("due_ms", "=", due_ms)
      .returning("run_id")
      .compile();
    return (await this.#database.run(() => askOne(update))) !== undefined;
  }

  async remove(run_id: string): Promise<void> {
    const drop = this.#build().deleteFrom("webhooks_waiting").where("run_id", "=", run_id).compile();
    await this.#database.run(() => ask(drop));
  }

  #build() {
    return this.#database.builder<WebhookTables>();
  }
}

/** Forgets the webhooks of a thread that goes. */
export function* dropWebhooks(database: Database, thread_id: string): Work<void> {
  const build = database.builder<WebhookTables>();
  yield* ask(build.deleteFrom("webhooks_waiting").where("thread_id", "=", thread_id).compile());
}
