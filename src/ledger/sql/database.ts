import type { CompiledQuery, Kysely } from "kysely";

export type Dialect = "sqlite" | "postgres";

/**
 * A piece of work on the database, written once for both: it yields queries and is handed their rows.
 *
 * It never awaits, so that SQLite can run it from `BEGIN` to `COMMIT` in one synchronous tick. It may be run again
 * after it failed, so it changes nothing outside itself.
 */
export type Work<Result> = Generator<CompiledQuery, Result, unknown[]>;

/**
 * The rows of one query inside a {@link Work}: `const rows = yield* ask(query)`.
 */
export function* ask<Row>(query: CompiledQuery<Row>): Work<Row[]> {
  // The driver answers each query with its own rows, which Kysely knows the type of.
  return (yield query) as Row[];
}

/** The first row of one query inside a {@link Work}, if there is one. */
export function* askOne<Row>(query: CompiledQuery<Row>): Work<Row | undefined> {
  return (yield* ask(query))[0];
}

export interface OpenOptions {
  /** How long SQLite waits for another process that writes, in milliseconds. Default 5,000. */
  busyTimeoutMs?: number;
}

/** One step of a room's schema: the statements that lead from the version before to the next. */
export type Migration = (build: Kysely<unknown>, dialect: Dialect) => CompiledQuery[];

/** Runs work in one view of the database that does not move, however long it takes. */
export type Read = <Result>(work: () => Work<Result>) => Promise<Result>;

/**
 * A SQLite file or a PostgreSQL database. Rooms share one and keep their own tables in it.
 *
 * Integers come back as numbers, and there are no booleans: write 0 and 1. Times are ISO texts, which both databases
 * compare as JavaScript does.
 *
 * @example
 * const database = await openDatabase("file:./state.db");
 * await database.migrate("server", [(build) => [build.schema.createTable("runs").addColumn("run_id", "text").compile()]]);
 * const build = database.builder<{ runs: { run_id: string } }>();
 * const runs = await database.run(() => ask(build.selectFrom("runs").selectAll().compile()));
 */
export interface Database {
  readonly dialect: Dialect;
  /** Where it is, with no password in it. */
  readonly url: string;
  /**
   * SQLite's connection, a `Database` of better-sqlite3, for LangGraph's checkpointer to share: two connections of one
   * process drop each other's page cache at every commit. Whoever shares it ends its transactions in the tick in which
   * they began. `null` on PostgreSQL.
   */
  readonly connection: object | null;
  /** Writes SQL for this database and runs nothing: end each query with `.compile()`. */
  builder<Tables>(): Kysely<Tables>;
  /**
   * Brings a room's tables to the newest version. Migrations are numbered by their place, from 1, and are only ever
   * added at the end. Each room counts its own versions.
   *
   * @throws {LedgerError} `newer_schema` when the database is ahead of `migrations`.
   */
  migrate(room: string, migrations: Migration[]): Promise<void>;
  /**
   * Runs work in one transaction that may write, all of it or nothing. What is committed outlives the process; with
   * `force` it is on the disk too when the promise resolves, together with all that was committed before.
   *
   * @throws {LedgerError} `unwritable` when the database cannot be written; `closed`. Errors of constraints pass
   *   through: see {@link isConstraintError}.
   */
  run<Result>(work: () => Work<Result>, options?: { force?: boolean }): Promise<Result>;
  /** Runs work that only reads, in one view of the database, waiting for no writer. */
  read<Result>(work: () => Work<Result>): Promise<Result>;
  /** Gives a view that does not move while `use` reads from it in turns, blocking nobody between them. */
  snapshot<Result>(use: (read: Read) => Promise<Result>): Promise<Result>;
  /**
   * Lets what was deleted go from the disk too, as far as the database can: on SQLite the log is written out and cut
   * off. False when somebody reads from it at this moment; ask again later.
   */
  scrub(): Promise<boolean>;
  /** What the database finds wrong with its own file, in its words. Takes as long as reading all of it. */
  integrity(): Promise<string[]>;
  close(): Promise<void>;
}

/** Whether the database refused a row because of a key, a constraint or a trigger. */
export function isConstraintError(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith("SQLITE_CONSTRAINT") || /^(23...|P0001)$/.test(code);
}

/** The code of a driver's error, empty when it has none. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}
