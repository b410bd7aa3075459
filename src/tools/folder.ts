import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { quote } from "./workspace.ts";
import type { Place } from "./workspace.ts";

/** A folder held open, so that its entries can be named while others rename what is above it. */
export interface Folder {
  /** A path that names the entry in this very folder. Use it at once, synchronously. */
  at(name: string): string;
  /** A path that names the folder itself. */
  self(): string;
}

// With /proc an open folder can be the start of a path, which makes every step exact. Elsewhere (macOS) a file is
// opened with a flag that refuses links in all parts of its path, and a name is used right after the folder at its
// path was compared with the one held open.
const HAS_PROC = process.platform === "linux" && existsSync("/proc/self/fd");
const NO_LINK_ANYWHERE = process.platform === "darwin" ? 0x20000000 : 0;

/** Flags for opening an entry of a held folder: never through a link, never waiting for a pipe's other end. */
export const SAFE_OPEN = constants.O_NOFOLLOW | constants.O_NONBLOCK | NO_LINK_ANYWHERE;

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | SAFE_OPEN;

/**
 * Opens the folder that holds a place, part by part and never through a link, and hands it to `use`.
 *
 * The place was resolved before; a part that is a link by now was put there in between, and is refused.
 *
 * @param options.create make missing folders on the way.
 * @param use is synchronous: the folder is closed when it returns.
 */
export function inFolderOf<T>(
  place: Place,
  use: (folder: Folder) => T,
  options: { create?: boolean } = {},
): T {
  return inFolder(place, place.folders, use, options);
}

/** As {@link inFolderOf}, with the place itself as the folder. */
export function inFolderAt<T>(place: Place, use: (folder: Folder) => T): T {
  return inFolder(place, place.name === "" ? [] : [...place.folders, place.name], use, {});
}

function inFolder<T>(
  place: Place,
  parts: readonly string[],
  use: (folder: Folder) => T,
  options: { create?: boolean },
): T {
  let path = place.root;
  let fd = openSync(path, OPEN_FOLDER);
  try {
    for (const part of parts) {
      const entry = entryOf(fd, path, part);
      if (options.create === true) makeFolder(entry);
      const next = openSync(entry, OPEN_FOLDER);
      closeSync(fd);
      fd = next;
      path = join(path, part);
    }
    return use({ at: (name) => entryOf(fd, path, name), self: () => entryOf(fd, path, ".") });
  } finally {
    closeSync(fd);
  }
}

function entryOf(fd: number, path: string, name: string): string {
  if (HAS_PROC) return `/proc/self/fd/${fd}/${name}`;
  const held = fstatSync(fd);
  const now = lstatSync(path);
  if (held.ino !== now.ino || held.dev !== now.dev) throw new ChangedError();
  return join(path, name);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

class ChangedError extends Error {
  readonly code = "ELOOP";
}

/** The system's error as a plain sentence about the path that was asked for. */
export function plain(error: unknown, asked: string): Error {
  const path = quote(asked);
  switch (codeOf(error)) {
    case undefined:
      return error instanceof Error ? error : new Error(String(error));
    case "ENOENT":
      return new Error(`There is no ${path} in the workspace.`, { cause: error });
    case "ELOOP":
      return new Error(`${path} was replaced by a link while it was used; nothing was done.`, {
        cause: error,
      });
    case "ENOTDIR":
      return new Error(`${path} goes through something that is not a folder.`, { cause: error });
    case "EISDIR":
      return new Error(`${path} is a folder, not a file.`, { cause: error });
    case "ENOTEMPTY":
      return new Error(`${path} is a folder that is not empty.`, { cause: error });
    case "EEXIST":
      return new Error(`${path} exists already.`, { cause: error });
    case "EACCES":
    case "EPERM":
      return new Error(`The system does not allow that for ${path}.`, { cause: error });
    default:
      return new Error(`${path} could not be used: ${String(codeOf(error))}.`, { cause: error });
  }
}

/** The system's code of an error ("ENOENT"), if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
