import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { codeOf } from "./database.ts";

/**
 * Copies a SQLite file as it is at this moment, what is in its log included, while others go on writing to it. The copy
 * is one file, readable by this user alone, and holds nothing of what was deleted.
 *
 * @throws when `to` is there already, or `from` cannot be read.
 */
export async function copySqlite(from: string, to: string): Promise<void> {
  const { default: Sqlite } = await import("better-sqlite3");
  // Made here, since SQLite would leave it readable to others.
  closeSync(openSync(to, "wx", 0o600));
  const connection = new Sqlite(from, { readonly: true, fileMustExist: true });
  try {
    connection.prepare("VACUUM INTO ?").run(to);
  } finally {
    connection.close();
  }
  const copy = openSync(to, "r+");
  fsyncSync(copy);
  closeSync(copy);
}

/**
 * Puts another file in the place of a SQLite file that nobody has open, and keeps the old one as `kept`. While that is
 * done nobody can open it.
 *
 * @returns false when somebody has it open. Nothing was changed then.
 */
export async function replaceSqlite(path: string, next: string, kept: string): Promise<boolean> {
  const { default: Sqlite } = await import("better-sqlite3");
  const connection = new Sqlite(path, { fileMustExist: true, timeout: 500 });
  try {
    // Its log is moved into the file, which SQLite does for the only one who has it open.
    const [row] = connection.pragma("journal_mode = DELETE") as { journal_mode: string }[];
    if (row?.journal_mode !== "delete") return false;
    connection.pragma("locking_mode = EXCLUSIVE");
    connection.exec("BEGIN EXCLUSIVE; COMMIT");
    renameSync(path, kept);
    renameSync(next, path);
    return true;
  } catch (error) {
    if (/^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))) return false;
    throw error;
  } finally {
    connection.close();
  }
}
