import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { compile } from "./compile.ts";
import { blocksOf, exchangesOf, patternOf } from "./docs-blocks.ts";
import type { Block } from "./docs-blocks.ts";
import { newReader, root } from "./docs-run.ts";
import type { Reader } from "./docs-run.ts";

/*
 * What the pages show is run, page by page and from top to bottom, in a fresh checkout with `countersign` on the path:
 *   sh        every line must succeed
 *   console   `$ ` commands, and their output must be as shown (`…` anything, `<name>` one word)
 *   ts        must compile against the package; json must parse; any other block is not run
 * `<!-- server -->` above a block: from there on the server of the checkout runs (the pages call its address
 * 127.0.0.1:4100). `<!-- not run: reason -->` directly above a block: left out.
 */
const docs = existsSync(join(root, "docs")) ? readdirSync(join(root, "docs")).sort() : [];
const pages = ["README.md", ...docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)];

async function follow(reader: Reader, block: Block): Promise<void> {
  if (block.server) await reader.serve();
  if (block.language === "sh") {
    const { code, output } = await reader.run(block.code);
    expect(code, output).toBe(0);
    return;
  }
  for (const { command, output: shown } of exchangesOf(block.code)) {
    const { output } = await reader.run(command);
    if (!patternOf(shown).test(output)) expect(`$ ${command}\n${output}`).toBe(`$ ${command}\n${shown}`);
  }
}

describe.each(pages)("%s", { timeout: 120_000 }, (page) => {
  const path = join(root, page);
  const blocks = existsSync(path) ? blocksOf(readFileSync(path, "utf8")).filter(({ notRun }) => !notRun) : [];
  const commands = blocks.filter(({ language }) => ["sh", "console"].includes(language));
  const reader: { here?: Reader } = {};
  afterAll(() => reader.here?.close());

  it("exists, and its TypeScript compiles and its JSON parses", () => {
    expect(existsSync(path)).toBe(true);
    const code = blocks.filter(({ language }) => ["ts", "typescript"].includes(language));
    const files = code.map(({ line, code }) => [`${page.replace("/", "-")}-${line}.ts`, code] as const);
    expect(compile(new Map(files))).toEqual([]);
    for (const { language, code } of blocks) if (language === "json") JSON.parse(code);
  });

  for (const block of commands) {
    it(`works as shown from line ${block.line} on`, async () => {
      reader.here ??= await newReader();
      await follow(reader.here, block);
    });
  }
});
