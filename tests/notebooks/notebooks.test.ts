import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { execute, folder, fullest, notebooks, outputsOf, type Notebook } from "./execute.ts";

const jupyter = inject("jupyter");
const TRIES = 5;

describe.skipIf("missing" in jupyter)("the notebooks", () => {
  it.each(notebooks())("%s gives what is committed with it", { timeout: 240_000 }, async (name) => {
    if ("missing" in jupyter) return;
    const committed = JSON.parse(readFileSync(join(folder, name), "utf8")) as Notebook;
    let given = await execute(jupyter.path, name);
    for (let more = 1; more < TRIES && !isSame(outputsOf(given), outputsOf(committed)); more += 1)
      given = fullest(given, await execute(jupyter.path, name));
    expect(outputsOf(given)).toEqual(outputsOf(committed));
  });

  it.each(notebooks())("%s imports nothing of ours but the public surface", (name) => {
    const { cells } = JSON.parse(readFileSync(join(folder, name), "utf8")) as Notebook;
    const code = cells
      .filter(({ cell_type }) => cell_type === "code")
      .map(({ source }) => [source].flat().join(""));
    const imported = code.join("\n").match(/from "([^"]+)"/g) ?? [];
    expect(imported.length).toBeGreaterThan(0);
    for (const one of imported) expect(one).toMatch(/from "(countersign|zod|@langchain\/[\w/]+)"/);
  });
});

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
