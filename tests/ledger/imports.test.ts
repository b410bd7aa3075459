import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { tempFolder } from "./temp-folder.ts";

const newPath = tempFolder();

/** The modules of a process that opens a ledger at `url` and closes it: those loaded by path, and native ones. */
function loadedBy(url: string): string[] {
  const index = new URL("../../src/ledger/index.ts", import.meta.url).href;
  const script = `
    import { createRequire } from "node:module";
    const { openLedger } = await import(${JSON.stringify(index)});
    const ledger = await openLedger(${JSON.stringify(url)});
    await ledger.close();
    const native = process.report.getReport().sharedObjects.filter((path) => path.endsWith(".node"));
    const cached = Object.keys(createRequire(import.meta.url).cache);
    console.log(JSON.stringify([...native, ...cached]));`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script];
  const output = execFileSync(process.execPath, args, {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    encoding: "utf8",
  });
  return (JSON.parse(output) as string[]).filter((path) => /better.sqlite3|[/\\]pg[/\\]|kysely/.test(path));
}

it("loads no native module and no database driver for a ledger in memory", () => {
  expect(loadedBy("memory:")).toEqual([]);
});

it("loads better-sqlite3, and no PostgreSQL, for a SQLite file", () => {
  const loaded = loadedBy(`file:${newPath()}`).join("\n");
  expect(loaded).toMatch(/better_sqlite3\.node/);
  expect(loaded).not.toMatch(/[/\\]pg[/\\]/);
});
