import { fstatSync, readdirSync } from "node:fs";
import Database from "better-sqlite3";

/**
 * What the child process is asked to run, as JSON on its standard input. `file` is absolute, its links followed; descriptor 3 of
 * the process holds the very file open.
 */
export interface RunRequest {
  file: string;
  sql: string;
  maxRows: number;
  maxBytes: number;
}

export type SqlAnswer =
  | { kind: "rows"; columns: string[]; rows: unknown[][]; more: boolean }
  | { kind: "changed"; changes: number }
  | { kind: "error"; message: string };

const PINNED = 3;

/** Does what the request says. Whatever SQLite objects to is an answer, not an exception. */
export function answerSql(request: RunRequest): SqlAnswer {
  try {
    return run(request);
  } catch (error) {
    return { kind: "error", message: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Runs one statement; a statement that only reads gets a connection that cannot write.
 *
 * SQLite opens files by name. That it opened the file the caller had checked is told by comparing the descriptors of
 * this process with the pinned one; a file that was exchanged in between is refused before it is read.
 */
function run(request: RunRequest): SqlAnswer {
  const read = withConnection(request.file, true, (reading): SqlAnswer | undefined => {
    if (isStore(reading))
      throw new Error("it is a store of approvals, or a copy of one, and is out of reach of every tool");
    const statement = reading.prepare(request.sql);
    if (!statement.readonly) return undefined;
    if (statement.reader) return rowsOf(statement, request);
    statement.run();
    return { kind: "changed", changes: 0 };
  });
  return read ?? change(request);
}

/** A copy has another name and another place, and the same tables. */
function isStore(database: Database.Database): boolean {
  const tables = database
    .prepare(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('ledger_events', 'ledger_head')",
    )
    .pluck()
    .get();
  return tables === 2;
}

function change(request: RunRequest): SqlAnswer {
  return withConnection(request.file, false, (writing): SqlAnswer => {
    const statement = writing.prepare(request.sql);
    if (statement.reader) return rowsOf(statement, request);
    return { kind: "changed", changes: statement.run().changes };
  });
}

function withConnection<T>(file: string, readonly: boolean, use: (database: Database.Database) => T): T {
  const before = descriptorsOfPinned();
  const database = new Database(file, { readonly, fileMustExist: true, timeout: 5000 });
  try {
    if (descriptorsOfPinned() <= before)
      throw new Error("The database file was exchanged while it was opened.");
    return use(database);
  } finally {
    database.close();
  }
}

function descriptorsOfPinned(): number {
  const pinned = fstatSync(PINNED);
  return readdirSync("/dev/fd").filter((name) => {
    try {
      const stats = fstatSync(Number(name));
      return stats.ino === pinned.ino && stats.dev === pinned.dev;
    } catch {
      // The descriptor of the listing itself is closed by now.
      return false;
    }
  }).length;
}

function rowsOf(statement: Database.Statement, request: RunRequest): SqlAnswer {
  const columns = statement.columns().map((column) => column.name);
  const rows: unknown[][] = [];
  let bytes = 0;
  for (const row of statement.safeIntegers().raw().iterate()) {
    if (!Array.isArray(row)) continue;
    const cells = row.map(toJson);
    bytes += JSON.stringify(cells).length;
    if (rows.length >= request.maxRows || bytes > request.maxBytes) {
      if (statement.readonly) return { kind: "rows", columns, rows, more: true };
      // A changing statement with RETURNING must be read to its end, or it would be undone.
      continue;
    }
    rows.push(cells);
  }
  return { kind: "rows", columns, rows, more: false };
}

function toJson(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value.toString();
  }
  return value instanceof Uint8Array ? `<${value.byteLength} bytes>` : value;
}
