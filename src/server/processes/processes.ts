import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { ask, askOne, type Database } from "../../ledger/sql/index.ts";
import type { ProcessRow, ServerTables } from "../database/tables.ts";

/** How often a process shows that it is alive, in milliseconds. */
export const BEAT_MS = 1_000;
/** After how long without that it counts as gone, by the watch of the one who looks; in milliseconds. */
const STALE_MS = 10_000;

/** Processes of this very one: whether they are alive is known without looking. */
const ours = new Set<string>();

/**
 * The server processes on one store, as one of them sees them. Each counts its own beat up; whoever looks measures with
 * a clock of its own how long a beat has stood still, so no two clocks are ever compared.
 */
export class Processes {
  readonly owner_id = `prc_${randomUUID()}`;
  readonly #database: Database;
  readonly #seen = new Map<string, { beat: number; since: number }>();
  #beat = 0;
  #others: ReadonlySet<string> = new Set();
  #duties = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether other processes were there when this one looked last. */
  get isAlone(): boolean {
    return this.#others.size === 0;
  }

  /** Whether this process has a duty that one has for all. */
  has(duty: string): boolean {
    return this.#duties.has(duty);
  }

  async join(started_at: string): Promise<void> {
    ours.add(this.owner_id);
    const { owner_id } = this;
    const row: ProcessRow = { owner_id, pid: process.pid, host: hostname(), beat: 0, started_at };
    const insert = this.#build().insertInto("server_processes").values(row).compile();
    await this.#database.run(() => ask(insert));
  }

  /** Shows that this process is alive; false when others have taken it for gone. */
  async beat(): Promise<boolean> {
    this.#beat += 1;
    const update = this.#build()
      .updateTable("server_processes")
      .set({ beat: this.#beat })
      .where("owner_id", "=", this.owner_id)
      .returning("owner_id")
      .compile();
    return (await this.#database.run(() => askOne(update))) !== undefined;
  }

  /**
   * Looks at the others and takes those away that are gone, with what they held. Returns how many have gone since the last
   * look, whoever took them away: what they left may be for this process alone, as the one that serves their graphs.
   */
  async look(): Promise<number> {
    const select = this.#build().selectFrom("server_processes").selectAll().compile();
    const rows = await this.#database.read(() => ask(select));
    const others = rows.filter(({ owner_id }) => owner_id !== this.owner_id);
    const gone = others.filter((row) => this.#isGone(row));
    for (const { owner_id } of gone) await this.#takeAway(owner_id);
    const alive = others.filter((row) => !gone.includes(row)).map(({ owner_id }) => owner_id);
    const left = [...this.#others].filter((owner_id) => !alive.includes(owner_id));
    const count = new Set([...left, ...gone.map(({ owner_id }) => owner_id)]).size;
    this.#others = new Set(alive);
    return count;
  }

  /** Takes a duty that nobody has. It is kept for as long as this process is there. */
  async takeDuty(duty: string): Promise<void> {
    if (this.#duties.has(duty)) return;
    const { owner_id } = this;
    const insert = this.#build()
      .insertInto("server_duties")
      .values({ duty, owner_id })
      .onConflict((conflict) => conflict.column("duty").doNothing())
      .returning("duty")
      .compile();
    if (await this.#database.run(() => askOne(insert))) this.#duties.add(duty);
  }

  async leave(): Promise<void> {
    this.#duties.clear();
    await this.#takeAway(this.owner_id).catch(() => undefined);
    ours.delete(this.owner_id);
  }

  #isGone({ owner_id, pid, host, beat }: ProcessRow): boolean {
    if (ours.has(owner_id)) return false;
    const now = performance.now();
    const seen = this.#seen.get(owner_id);
    if (seen?.beat !== beat) this.#seen.set(owner_id, { beat, since: now });
    else if (now - seen.since > STALE_MS) return true;
    // With this process's own number it was an earlier one, as in a container, where they begin anew.
    return host === hostname() && (pid === process.pid || !isRunning(pid));
  }

  async #takeAway(owner_id: string): Promise<void> {
    this.#seen.delete(owner_id);
    const build = this.#build();
    const queries = [
      build
        .updateTable("server_threads")
        .set({ lane_owner: null })
        .where("lane_owner", "=", owner_id)
        .compile(),
      build.deleteFrom("server_duties").where("owner_id", "=", owner_id).compile(),
      build.deleteFrom("server_processes").where("owner_id", "=", owner_id).compile(),
    ];
    await this.#database.run(function* () {
      for (const query of queries) yield* ask(query);
    });
  }

  #build() {
    return this.#database.builder<ServerTables>();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** The processes that a store has, alive or not, for who must not disturb them. */
export async function processesOf(database: Database): Promise<ProcessRow[]> {
  const select = database.builder<ServerTables>().selectFrom("server_processes").selectAll().compile();
  return database.read(() => ask(select));
}
