import type SqliteConnection from "better-sqlite3";

type Connection = SqliteConnection.Database;
type Statement = SqliteConnection.Statement;

/** Texts kept at most: some, as with a limit written into them, have no end of forms. */
const MOST = 200;

/** The prepared statements of a connection, each prepared once. */
export class Statements {
  readonly #connection: Connection;
  readonly #known = new Map<string, Statement>();

  readonly #assertInPlace: () => void;

  /** @param assertInPlace throws when what is written now would be lost. */
  constructor(connection: Connection, assertInPlace: () => void = () => undefined) {
    this.#connection = connection;
    this.#assertInPlace = assertInPlace;
  }

  get(sql: string): Statement {
    const known = this.#known.get(sql);
    if (known) return known;
    const statement = this.#connection.prepare(sql);
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(sql, statement);
    return statement;
  }

  /** Runs `work` from begin to commit in one tick; whatever it throws undoes it. */
  transaction<Result>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => Result): Result {
    if (begin === "BEGIN IMMEDIATE") this.#assertInPlace();
    this.get(begin).run();
    try {
      const result = work();
      this.get("COMMIT").run();
      return result;
    } catch (error) {
      // SQLite has already rolled back after some errors, a full disk among them.
      if (this.#connection.inTransaction) this.get("ROLLBACK").run();
      throw error;
    }
  }
}

/**
 * A connection as LangGraph's checkpointer may share it. It prepares its statements and makes its transactions anew at
 * every call; here each is made once.
 */
export function shareable(connection: Connection, statements: Statements): Connection {
  const transaction =
    (work: (...given: unknown[]) => unknown) =>
    (...given: unknown[]): unknown =>
      statements.transaction("BEGIN IMMEDIATE", () => work(...given));
  return Object.create(connection, {
    prepare: { value: (sql: string) => statements.get(sql) },
    transaction: { value: transaction },
  }) as Connection;
}
