import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { randomUUID } from "node:crypto";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { withRisk } from "../graph/with-risk.ts";
import { leadingTo } from "./leading-to.ts";
import { argument } from "./argument.ts";
import { SAFE_OPEN, codeOf, inFolderOf, plain } from "./folder.ts";
import type { Folder } from "./folder.ts";
import { holdsKept } from "./kept-files.ts";
import { fileOf, locate, quote } from "./workspace.ts";
import type { Place } from "./workspace.ts";

const pathOf = (what: string) => z.string().min(1).describe(`${what}, relative to the workspace.`);

/** `write_file`: the whole content of one file; missing folders are made. */
export function writeFileTool(root: string) {
  return withRisk(
    tool(({ path, content }) => writeText(root, path, content), {
      name: "write_file",
      description: "Write a text file of the workspace; what the file held before is replaced.",
      schema: z.object({ path: pathOf("File"), content: z.string().describe("The whole new content.") }),
    }),
    "approve",
    {
      ...leadingTo(root, ["path"]),
      describe: (args) =>
        `Writes ${argument(args, "content", "").length} characters to ${argument(args, "path")}.`,
    },
  );
}

/** `move_file`: a file or folder gets another name; never over something that exists. */
export function moveFileTool(root: string) {
  return withRisk(
    tool(({ from, to }) => move(root, from, to), {
      name: "move_file",
      description: "Move or rename a file or folder of the workspace. The new name must be free.",
      schema: z.object({ from: pathOf("What to move"), to: pathOf("The new path") }),
    }),
    "approve",
    {
      ...leadingTo(root, ["from", "to"]),
      describe: (args) => `Moves ${argument(args, "from")} to ${argument(args, "to")}.`,
    },
  );
}

/** `delete_file`: one file, or one empty folder. */
export function deleteFileTool(root: string) {
  return withRisk(
    tool(({ path }) => remove(root, path), {
      name: "delete_file",
      description: "Delete a file or an empty folder of the workspace. It cannot be brought back.",
      schema: z.object({ path: pathOf("File or empty folder") }),
    }),
    "approve",
    { ...leadingTo(root, ["path"]), describe: (args) => `Deletes ${argument(args, "path")} for good.` },
  );
}

function writeText(root: string, path: string, content: string): string {
  const place = named(root, path);
  try {
    inFolderOf(place, (folder) => replace(folder, place.name, path, content), { create: true });
  } catch (error) {
    throw plain(error, path);
  }
  return `Wrote ${Buffer.byteLength(content)} bytes to ${path}.`;
}

// The content is written beside and renamed over the name: readers see the old file or the new one, and a second name
// of the old file (a hard link, perhaps from outside) keeps what it held.
function replace(folder: Folder, name: string, path: string, content: string): void {
  const old = lstatSync(folder.at(name), { throwIfNoEntry: false });
  if (old !== undefined) refuseUnlessFile(old, path);
  const temporary = `.${randomUUID()}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | SAFE_OPEN;
  const fd = openSync(folder.at(temporary), flags, old === undefined ? 0o666 : old.mode & 0o777);
  try {
    try {
      writeFileSync(fd, content);
    } finally {
      closeSync(fd);
    }
    renameSync(folder.at(temporary), folder.at(name));
  } catch (error) {
    unlinkSync(folder.at(temporary));
    throw error;
  }
}

function move(root: string, from: string, to: string): string {
  const source = named(root, from);
  const target = named(root, to);
  refuseLink(root, from, source);
  if (holdsKept(fileOf(source)))
    throw new Error(`${quote(from)} holds what decides about calls, and stays where it is.`);
  try {
    inFolderOf(source, (old) => {
      const stats = lstatSync(old.at(source.name));
      inFolderOf(target, (fresh) => rename(old.at(source.name), fresh.at(target.name), stats, to), {
        create: true,
      });
    });
  } catch (error) {
    throw plain(error, from);
  }
  return `Moved ${from} to ${to}.`;
}

function rename(from: string, to: string, stats: Stats, asked: string): void {
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined)
    throw new Error(`${quote(asked)} exists already.`);
  if (stats.isFile()) {
    try {
      // Unlike a rename, a second name fails where the first one is taken, whoever took it just now.
      linkSync(from, to);
      unlinkSync(from);
      return;
    } catch (error) {
      if (codeOf(error) === "EEXIST") throw new Error(`${quote(asked)} exists already.`, { cause: error });
      if (!["EPERM", "ENOTSUP", "EMLINK", "ENOSYS"].includes(codeOf(error) ?? "")) throw error;
    }
  }
  renameSync(from, to);
}

function remove(root: string, path: string): string {
  const place = named(root, path);
  refuseLink(root, path, place);
  try {
    return inFolderOf(place, (folder) => {
      const entry = folder.at(place.name);
      if (!lstatSync(entry).isDirectory()) {
        unlinkSync(entry);
        return `Deleted ${path}.`;
      }
      rmdirSync(entry);
      return `Deleted the empty folder ${path}.`;
    });
  } catch (error) {
    throw plain(error, path);
  }
}

function named(root: string, path: string): Place {
  const place = locate(root, path);
  if (place.name === "") throw new Error(`${quote(path)} is the workspace itself.`);
  return place;
}

// A person decided about the path that the link leads to, so neither the link nor its target would be what they meant.
function refuseLink(root: string, path: string, place: Place): void {
  let entry = path;
  while (entry.endsWith("/") || entry.endsWith("/.")) entry = entry.slice(0, entry.lastIndexOf("/"));
  if (!lstatSync(`${root}/${entry}`, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new Error(
    `${quote(path)} is a link. Name what it leads to: ${[...place.folders, place.name].join("/")}.`,
  );
}

function refuseUnlessFile(stats: Stats, path: string): void {
  if (!stats.isFile()) throw new Error(`${quote(path)} is not a file.`);
}
