import { truthOf, type Truth } from "./truth.ts";

/**
 * A folder of the workspace as a policy writes it (`"scratch/"`, `"./a/b"`, `"."` for the root), normalised.
 *
 * @throws {SyntaxError} when it is no relative path inside the workspace
 */
export function parseFolder(folder: string): string {
  if (folder.startsWith("/") || /^[A-Za-z]:/.test(folder) || /[\\\u0000]/.test(folder)) {
    throw new SyntaxError("must be a path relative to the workspace, with / between folders");
  }
  const segments = folder.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) throw new SyntaxError("must not contain ..");
  return segments.join("/");
}

/** Whether a looked-up path is the folder or lies below it; unknown when the fact is no normalised relative path. */
export function isWithin(folder: string, path: string | null | undefined): Truth {
  if (path === undefined || (path !== null && !isNormalised(path))) return "unknown";
  if (path === null) return "false";
  return truthOf(folder === "" || path === folder || path.startsWith(`${folder}/`));
}

/**
 * A path with `.` and `..` taken out as far as its text tells; undefined when it climbs above where it starts.
 * Links are not followed, so this is only good for finding out that a text is not what it seems.
 */
export function normaliseText(path: string): string | undefined {
  const result: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") result.push(segment);
    else if (result.pop() === undefined) return undefined;
  }
  return `${path.startsWith("/") ? "/" : ""}${result.join("/")}`;
}

function isNormalised(path: string): boolean {
  if (typeof path !== "string") return false;
  return (
    path === "" || path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..")
  );
}
