import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { LedgerError } from "../ledger.ts";
import { codeOf } from "./database.ts";

/**
 * The path that a `file:` address names; a relative one counts from the working directory.
 *
 * @throws {LedgerError} `bad_url`
 */
export function sqlitePath(url: string): string {
  const rest = url.slice("file:".length);
  if (rest === "" || rest.startsWith(":") || /[?#]/.test(rest) || rest.includes("\0")) {
    const hint = rest.startsWith(":memory:") ? ' For a ledger in memory give "memory:".' : "";
    throw new LedgerError("bad_url", `"${url}" names no file. Give a path, as in "file:./state.db".${hint}`);
  }
  if (!rest.startsWith("//")) return resolve(rest);
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw new LedgerError("bad_url", `"${url}" names no file of this machine. Give "file:./state.db".`, {
      cause,
    });
  }
}

/** Makes the file and its directory when missing, and closes both to other users of the machine. */
export function prepareFile(path: string): void {
  makeFolder(dirname(path));
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    closeSync(openSync(path, "a", 0o600));
    return;
  }
  // Not opened here: closing any descriptor of a file drops the locks that SQLite holds on it in this process.
  if (found.isFile() && (found.mode & 0o077) !== 0) chmodSync(path, 0o600);
}

// Not by mkdirSync's own `recursive`, which never comes back where a file system refuses with ENOENT, as /proc does.
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/**
 * Says whether a file that was opened is still the one under its path. SQLite goes on writing to one that was moved or
 * deleted, where nobody would ever find what was acknowledged.
 *
 * @returns a check that throws {@link LedgerError} `unwritable` when it is not.
 */
export function placeOf(path: string): () => void {
  const { dev, ino } = statSync(path);
  return () => {
    const now = statSync(path, { throwIfNoEntry: false });
    if (now?.ino === ino && now.dev === dev) return;
    throw unwritable(path, Object.assign(new Error("its file was moved or deleted"), { code: "ESTALE" }));
  };
}

/** The error for a file that cannot be opened or written, with what to do. */
export function unwritable(path: string, cause: unknown): LedgerError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new LedgerError("unwritable", `The store ${path} cannot be written: ${why}. ${remedy(cause)}`, {
    cause,
  });
}

function remedy(cause: unknown): string {
  const code = codeOf(cause);
  if (/FULL|ENOSPC/.test(code)) return "Make room on the disk.";
  if (code === "ESTALE") return "Put it back, or stop this process and start it on another path.";
  if (/BUSY|LOCKED/.test(code)) return "Another process holds it: stop that one, or give another path.";
  if (/NOTADB|CORRUPT/.test(code)) return "Restore it from a backup, or give another path.";
  return "Make the file and its directory writable for this user, or give another path.";
}
