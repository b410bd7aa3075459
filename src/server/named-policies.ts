import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NamedPolicy } from "./parts.ts";

/** The policies that come with this package: `graphs/policies/NAME.json`. None where the folder is not there. */
export async function readNamedPolicies(): Promise<NamedPolicy[]> {
  const root = await packageRoot();
  if (root === null) return [];
  const folder = join(root, "graphs/policies");
  const files = await readdir(folder).catch(() => []);
  const named = files.filter((file) => file.endsWith(".json") && !file.endsWith(".schema.json")).sort();
  return Promise.all(
    named.map(async (file) => ({
      name: file.slice(0, -".json".length),
      policy: JSON.parse(await readFile(join(folder, file), "utf8")) as Record<string, unknown>,
    })),
  );
}

/** The version of this package. */
export async function readVersion(): Promise<string> {
  const root = await packageRoot();
  if (root === null) return "0.0.0";
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version?: string };
  return version ?? "0.0.0";
}

/** The folder with this package's `package.json`, however deep the build has put this file. */
async function packageRoot(): Promise<string | null> {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const text = await readFile(join(folder, "package.json"), "utf8").catch(() => null);
    if (text !== null) return folder;
    if (folder === dirname(folder)) return null;
  }
}
