import { lstatSync, realpathSync } from "node:fs";
import { isKept } from "./kept-files.ts";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** The folder of the store. No tool reaches into it, wherever in the workspace it stands. */
export const PROTECTED_FOLDER = ".countersign";

/** A place inside a workspace, all links followed. */
export interface Place {
  /** The workspace folder itself, links followed, absolute. */
  root: string;
  /** The folders between the workspace and the name. */
  folders: readonly string[];
  /** The last part; empty for the workspace itself. */
  name: string;
  /** The path as it was asked for, for messages. */
  asked: string;
}

/**
 * Says where a path of the workspace really leads.
 *
 * @param root the workspace folder.
 * @param path a path relative to it, as a tool call names it. It need not exist: then its deepest existing folder is
 *   resolved and the rest appended.
 * @returns the path relative to the root with "/" between its parts, links followed, "" for the root itself; or null
 *   when it leaves the workspace or where it leads cannot be told (absolute, dangling link, a NUL byte, no such root).
 */
export function resolveInWorkspace(root: string, path: string): { relative: string } | null {
  try {
    const realRoot = realpathSync.native(root);
    const parts = follow(realRoot, path);
    return parts === null ? null : { relative: parts.join("/") };
  } catch {
    return null;
  }
}

/**
 * Finds a path for a tool.
 *
 * @throws {Error} with a plain message when the path leaves the workspace or is protected.
 */
export function locate(root: string, path: string): Place {
  const found = resolveInWorkspace(root, path);
  if (found === null) {
    throw new Error(
      `${quote(path)} is outside the workspace, or it cannot be told where it leads. ` +
        "Use a path relative to the workspace that stays in it.",
    );
  }
  const parts = found.relative === "" ? [] : found.relative.split("/");
  if (parts.some(isProtected)) {
    throw new Error(`${quote(path)} belongs to the record of approvals and is out of reach of every tool.`);
  }
  const place = {
    root: realpathSync.native(root),
    folders: parts.slice(0, -1),
    name: parts.at(-1) ?? "",
    asked: path,
  };
  if (isKept(fileOf(place)))
    throw new Error(`${quote(path)} is part of what decides about calls and is out of reach of every tool.`);
  return place;
}

/** The absolute path of a place, for what can only be named and not held open. */
export function fileOf(place: Place): string {
  return join(place.root, ...place.folders, place.name);
}

/** Whether this name is the protected folder, also on a disk that does not tell upper from lower case. */
export function isProtected(name: string): boolean {
  return name.normalize("NFKC").toLowerCase() === PROTECTED_FOLDER;
}

/** A path in a message: quoted, without control characters. */
export function quote(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

function follow(realRoot: string, path: string): string[] | null {
  if (path.includes("\0") || isAbsolute(path)) return null;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  let current = realRoot;
  for (const [index, part] of parts.entries()) {
    const next = part === ".." ? dirname(current) : join(current, part);
    const stats = lstatSync(next, { throwIfNoEntry: false });
    if (stats === undefined) {
      const rest = parts.slice(index);
      // The system would not walk up from a folder that does not exist, so where this leads cannot be told.
      return rest.includes("..") ? null : [...within(realRoot, current), ...rest];
    }
    // Only what exists is asked for its real name; on disks that ignore case it also restores the stored spelling.
    current = realpathSync.native(next);
    if (!isInside(realRoot, current)) return null;
  }
  return within(realRoot, current);
}

function isInside(realRoot: string, path: string): boolean {
  return path === realRoot || path.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep);
}

function within(realRoot: string, path: string): string[] {
  return relative(realRoot, path)
    .split(sep)
    .filter((part) => part !== "");
}
