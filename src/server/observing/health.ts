import { ask, type Database } from "../../ledger/sql/index.ts";
import type { ServerTables } from "../database/tables.ts";
import { ServerError } from "../problem.ts";

/** How long the store may take to answer, and how long its last answer counts; in milliseconds. */
const PATIENCE_MS = 1_000;
const FRESH_MS = 250;

/** Whether the server can serve: its store answers, and it is not stopping. */
export class Health {
  readonly #database: Database;
  #isStopping = false;
  #asked: { at: number; answer: Promise<boolean> } | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  /** From now on the server can not serve. */
  end(): void {
    this.#isStopping = true;
  }

  /** @throws {ServerError} `stopping`, `not_ready` */
  async assertReady(): Promise<void> {
    if (this.#isStopping)
      throw new ServerError("stopping", "The server is stopping. Send again when it is back.");
    if (!(await this.#storeAnswers()))
      throw new ServerError("not_ready", "The store does not answer. See the server's log.");
  }

  // Whoever asks often does not make the store work more.
  #storeAnswers(): Promise<boolean> {
    const at = performance.now();
    if (this.#asked === null || at - this.#asked.at > FRESH_MS) this.#asked = { at, answer: this.#look() };
    return this.#asked.answer;
  }

  async #look(): Promise<boolean> {
    const look = this.#database
      .builder<ServerTables>()
      .selectFrom("server_threads")
      .select("thread_id")
      .limit(1)
      .compile();
    const timer = new AbortController();
    const late = new Promise<boolean>((resolve) => {
      const giveUp = setTimeout(() => resolve(false), PATIENCE_MS).unref();
      timer.signal.addEventListener("abort", () => clearTimeout(giveUp), { once: true });
    });
    const answer = this.#database
      .read(() => ask(look))
      .then(
        () => true,
        () => false,
      );
    const answers = await Promise.race([answer, late]);
    timer.abort();
    return answers;
  }
}
