import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const DEFAULT_STORE = "file:.countersign/state.db";

/** The parts of this package that judge calls, and what it is configured with. */
const OWN_PARTS = ["dist", "src", "graphs", "langgraph.json", "package.json"];

/** Whether a file, by whichever name, or a folder is what decides about calls: the store, the policies, this program. */
export function isKept(path: string): boolean {
  const kept = keptPaths();
  if (kept.some((one) => isInside(one, path))) return true;
  const stats = statSync(path, { throwIfNoEntry: false });
  // Another name of the same file, as a hard link is.
  return stats?.isFile() === true && stats.nlink > 1 && kept.some((one) => isSameFile(one, stats));
}

/** Whether something that decides about calls is in a folder. */
export function holdsKept(folder: string): boolean {
  return keptPaths().some((one) => isInside(folder, one));
}

function keptPaths(): string[] {
  const paths = [...storeFiles(), resolve("langgraph.json"), ...ownParts()];
  return paths.filter((path) => existsSync(path)).map((path) => realpathSync.native(path));
}

/** The files of the store: itself, its log, and what lies beside it under a name that begins with its own. */
function storeFiles(): string[] {
  const urls = [urlOfHost(), process.env["COUNTERSIGN_STORE"] ?? DEFAULT_STORE];
  return urls.flatMap((url) => {
    const path = url === undefined ? null : pathOf(url);
    if (path === null || !existsSync(dirname(path))) return [];
    const [folder, name] = [dirname(path), basename(path)];
    return readdirSync(folder)
      .filter((entry) => entry.startsWith(name))
      .map((entry) => join(folder, entry));
  });
}

/** Where the server keeps what it is told, in which the agent runs; by the symbol under which graphs find it. */
function urlOfHost(): string | undefined {
  interface Slot {
    current(): { ledger?: { url?: string } } | undefined;
  }
  const slot = (globalThis as Record<symbol, unknown>)[Symbol.for("countersign.host/1")] as Slot | undefined;
  return slot?.current()?.ledger?.url;
}

function pathOf(url: string): string | null {
  if (!url.startsWith("file:")) return null;
  const rest = url.slice("file:".length);
  return rest.startsWith("//") ? fileURLToPath(url) : resolve(rest);
}

let own: string[] | undefined;

function ownParts(): string[] {
  return (own ??= OWN_PARTS.map((part) => join(packageRoot(), part)));
}

function packageRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    const isRoot = existsSync(file) && /"name":\s*"countersign"/u.test(readFileSync(file, "utf8"));
    if (isRoot || folder === dirname(folder)) return folder;
  }
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function isSameFile(path: string, { dev, ino }: { dev: number; ino: number }): boolean {
  const stats = lstatSync(path);
  if (stats.isDirectory())
    return readdirSync(path).some((entry) => {
      const inner = lstatSync(join(path, entry), { throwIfNoEntry: false });
      return inner?.isFile() === true && inner.ino === ino && inner.dev === dev;
    });
  return stats.ino === ino && stats.dev === dev;
}
