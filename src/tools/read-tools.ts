import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import type { Stats } from "node:fs";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { withRisk } from "../graph/with-risk.ts";
import { leadingTo } from "./leading-to.ts";
import { argument } from "./argument.ts";
import { clip, isBinary } from "./clip.ts";
import { SAFE_OPEN, inFolderAt, inFolderOf, plain } from "./folder.ts";
import type { Folder } from "./folder.ts";
import { isProtected, locate, quote } from "./workspace.ts";

const MAX_ENTRIES = 500;

/** `list_files`: one level of a folder, folders marked with "/", files with their size. */
export function listFilesTool(root: string) {
  return withRisk(
    tool(({ path }) => listFolder(root, path), {
      name: "list_files",
      description: "List the files and folders directly inside a folder of the workspace.",
      schema: z.object({
        path: z
          .string()
          .min(1)
          .default(".")
          .describe('Folder, relative to the workspace; "." is the workspace.'),
      }),
    }),
    "auto",
    {
      readOnly: true,
      ...leadingTo(root, ["path"]),
      describe: (args) => `Lists the folder ${argument(args, "path", ".")}.`,
    },
  );
}

/** `read_file`: the text of one file, at most `maxBytes` of it; of a binary file only its size. */
export function readFileTool(root: string, maxBytes: number) {
  return withRisk(
    tool(({ path }) => readText(root, path, maxBytes), {
      name: "read_file",
      description: "Read a text file of the workspace.",
      schema: z.object({ path: z.string().min(1).describe("File, relative to the workspace.") }),
    }),
    "auto",
    { readOnly: true, ...leadingTo(root, ["path"]), describe: (args) => `Reads ${argument(args, "path")}.` },
  );
}

function listFolder(root: string, path: string): string {
  const place = locate(root, path);
  try {
    const entries = inFolderAt(place, (folder) => {
      const names = readdirSync(folder.self()).filter((name) => !isProtected(name));
      const shown = names.sort().slice(0, MAX_ENTRIES);
      return { lines: shown.map((name) => describeEntry(folder, name)), more: names.length - shown.length };
    });
    if (entries.lines.length === 0) return `${quote(path)} is empty.`;
    if (entries.more > 0) entries.lines.push(`[cut: ${entries.more} more]`);
    return entries.lines.join("\n");
  } catch (error) {
    throw plain(error, path);
  }
}

function describeEntry(folder: Folder, name: string): string {
  const stats = lstatSync(folder.at(name), { throwIfNoEntry: false });
  if (stats === undefined) return name;
  if (stats.isDirectory()) return `${name}/`;
  return stats.isFile() ? `${name} (${stats.size} bytes)` : `${name} (${kindOf(stats)})`;
}

function readText(root: string, path: string, maxBytes: number): string {
  const place = locate(root, path);
  if (place.name === "") throw new Error(`${quote(path)} is a folder, not a file.`);
  try {
    return inFolderOf(place, (folder) => {
      const fd = openSync(folder.at(place.name), constants.O_RDONLY | SAFE_OPEN);
      try {
        return textOf(fd, path, maxBytes);
      } finally {
        closeSync(fd);
      }
    });
  } catch (error) {
    throw plain(error, path);
  }
}

function textOf(fd: number, path: string, maxBytes: number): string {
  const stats = fstatSync(fd);
  if (!stats.isFile()) throw new Error(`${quote(path)} is a ${kindOf(stats)}, not a file.`);
  const buffer = Buffer.alloc(Math.min(stats.size, maxBytes));
  let filled = 0;
  while (filled < buffer.length) {
    const count = readSync(fd, buffer, filled, buffer.length - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  const bytes = buffer.subarray(0, filled);
  if (isBinary(bytes))
    return `${quote(path)} is a binary file of ${stats.size} bytes; its content is not shown.`;
  return clip(bytes, maxBytes, filled < buffer.length ? filled : stats.size);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "folder";
  if (stats.isSymbolicLink()) return "link";
  return "special file";
}
