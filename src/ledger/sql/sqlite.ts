import { setImmediate as nextTurn } from "node:timers/promises";
import type SqliteConnection from "better-sqlite3";
import type { CompiledQuery, Kysely } from "kysely";
import { LedgerError } from "../ledger.ts";
import { createBuilder } from "./builder.ts";
import { codeOf, type Database, type Migration, type OpenOptions, type Read, type Work } from "./database.ts";
import { migrateWork } from "./migrate.ts";
import { placeOf, prepareFile, sqlitePath, unwritable } from "./sqlite-file.ts";
import { shareable, Statements } from "./statements.ts";

type Connection = SqliteConnection.Database;

/**
 * Opens a SQLite file with a connection of its own.
 *
 * @throws {LedgerError} `bad_url`, `unwritable`
 */
export async function openSqlite(url: string, { busyTimeoutMs = 5_000 }: OpenOptions): Promise<Database> {
  const path = sqlitePath(url);
  const { default: Sqlite } = await import("better-sqlite3");
  let connection: Connection | undefined;
  try {
    prepareFile(path);
    connection = new Sqlite(path, { timeout: busyTimeoutMs });
    connection.pragma("journal_mode = WAL");
    // A commit that must wait for the disk says so itself: see Session.forced.
    connection.pragma("synchronous = NORMAL");
    // Moving pages from the log into the file is what makes a commit take long now and then: in larger portions, the
    // same page is moved less often. In pages of 4 KiB.
    connection.pragma("wal_autocheckpoint = 4000");
    // What is deleted is overwritten: a thread that was erased is gone from the file, too.
    connection.pragma("secure_delete = ON");
    connection.exec("BEGIN IMMEDIATE; COMMIT");
  } catch (cause) {
    connection?.close();
    throw unwritable(path, cause);
  }
  const openReader = () => new Sqlite(path, { readonly: true, timeout: busyTimeoutMs });
  return new SqliteDatabase(path, connection, openReader);
}

class SqliteDatabase implements Database {
  readonly dialect = "sqlite";
  readonly url: string;
  readonly connection: object;
  readonly #path: string;
  readonly #main: Session;
  readonly #openReader: () => Connection;
  readonly #builder = createBuilder<unknown>("sqlite");

  constructor(path: string, connection: Connection, openReader: () => Connection) {
    this.url = `file:${path}`;
    this.#path = path;
    this.#main = new Session(connection, placeOf(path));
    this.connection = this.#main.shared;
    this.#openReader = openReader;
  }

  builder<Tables>(): Kysely<Tables> {
    return this.#builder as Kysely<Tables>;
  }

  async migrate(room: string, migrations: Migration[]): Promise<void> {
    await this.run(() => migrateWork(this.#builder, this.dialect, room, migrations));
  }

  async run<Result>(work: () => Work<Result>, { force = false } = {}): Promise<Result> {
    const write = (): Result => this.#main.transaction("BEGIN IMMEDIATE", work);
    return this.#guard(() => (force ? this.#main.forced(write) : write()));
  }

  async read<Result>(work: () => Work<Result>): Promise<Result> {
    return this.#guard(() => this.#main.transaction("BEGIN", work));
  }

  async snapshot<Result>(use: (read: Read) => Promise<Result>): Promise<Result> {
    // A reader of its own: in WAL mode it holds its view across turns without holding up any writer.
    const session = this.#guard(() => new Session(this.#openReader()));
    try {
      this.#guard(() => session.begin());
      return await use(async (work) => {
        // Everything here is synchronous: without this the process would do nothing else until `use` is done.
        await nextTurn();
        return this.#guard(() => session.play(work()));
      });
    } finally {
      session.close();
    }
  }

  async scrub(): Promise<boolean> {
    return this.#guard(() => this.#main.emptyLog());
  }

  async integrity(): Promise<string[]> {
    return this.#guard(() => this.#main.integrity());
  }

  async close(): Promise<void> {
    this.#main.close();
  }

  #guard<Result>(action: () => Result): Result {
    if (!this.#main.isOpen)
      throw new LedgerError("closed", `The store ${this.#path} is closed. Open it again.`);
    try {
      return action();
    } catch (error) {
      if (/^SQLITE_(FULL|READONLY|BUSY|LOCKED|CORRUPT|NOTADB|CANTOPEN|IOERR|PERM)/.test(codeOf(error))) {
        throw unwritable(this.#path, error);
      }
      throw error;
    }
  }
}

/** A connection with its prepared statements. */
class Session {
  readonly #connection: Connection;
  readonly #statements: Statements;

  constructor(connection: Connection, assertInPlace?: () => void) {
    this.#connection = connection;
    this.#statements = new Statements(connection, assertInPlace);
  }

  /** See {@link Database.connection}. */
  get shared(): Connection {
    return shareable(this.#connection, this.#statements);
  }

  get isOpen(): boolean {
    return this.#connection.open;
  }

  /** Lets the commits of `write` wait for the disk. In WAL mode the log is one file, so one that does takes all along. */
  forced<Result>(write: () => Result): Result {
    this.#connection.pragma("synchronous = FULL");
    try {
      return write();
    } finally {
      this.#connection.pragma("synchronous = NORMAL");
    }
  }

  /** Moves all of the log into the file and cuts it off, unless somebody is reading from it. */
  emptyLog(): boolean {
    const { timeout } = (this.#connection.pragma("busy_timeout") as { timeout: number }[])[0] ?? {
      timeout: 0,
    };
    // Waiting would hold up the whole process.
    this.#connection.pragma("busy_timeout = 0");
    try {
      const [done] = this.#connection.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
      return done?.busy === 0;
    } finally {
      this.#connection.pragma(`busy_timeout = ${timeout}`);
    }
  }

  integrity(): string[] {
    const found = this.#connection.pragma("integrity_check") as { integrity_check: string }[];
    return found.map((row) => row.integrity_check).filter((line) => line !== "ok");
  }

  /** Runs work from its first to its last query without giving way. */
  transaction<Result>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => Work<Result>): Result {
    return this.#statements.transaction(begin, () => this.play(work()));
  }

  begin(): void {
    this.#statements.get("BEGIN").run();
    // The view is taken at the first reading, not at BEGIN.
    this.#connection.prepare("SELECT count(*) FROM sqlite_schema").get();
  }

  play<Result>(work: Work<Result>): Result {
    let step = work.next();
    while (!step.done) step = work.next(this.#query(step.value));
    return step.value;
  }

  #query({ sql, parameters }: CompiledQuery): unknown[] {
    const statement = this.#statements.get(sql);
    if (statement.reader) return statement.all(parameters);
    statement.run(parameters);
    return [];
  }

  close(): void {
    this.#connection.close();
  }
}
