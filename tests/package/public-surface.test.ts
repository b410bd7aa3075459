import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { compile } from "./compile.ts";
import { root } from "./docs-run.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

describe("the front door", () => {
  const source = ts.createSourceFile("index.ts", read("src/index.ts"), ts.ScriptTarget.ES2022);

  it("only hands on names that other files define", () => {
    const others = source.statements.filter((statement) => !ts.isExportDeclaration(statement));
    expect(others.map((statement) => statement.getText(source))).toEqual([]);
  });

  it("writes every name out, without `export *`", () => {
    const exports = source.statements.filter(ts.isExportDeclaration);
    const wholesale = exports.filter(({ exportClause }) => !exportClause || !ts.isNamedExports(exportClause));
    expect(wholesale.map((statement) => statement.getText(source))).toEqual([]);
    expect(exports.length).toBeGreaterThan(0);
  });

  it("lets its users write what the type test writes", { timeout: 120_000 }, () => {
    expect(compile(new Map([["public-surface.ts", read("tests/package/public-surface.test-d.ts")]]))).toEqual(
      [],
    );
  });
});
