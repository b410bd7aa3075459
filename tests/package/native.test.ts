import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { root } from "./docs-run.ts";

const watch = `
  process.dlopen = (_module, file) => { throw new Error("loaded " + file); };
  const { openLedger, openDesk } = await import("./dist/src/index.js");
  const desk = openDesk(await openLedger("memory:"));
  console.log((await desk.list()).approvals.length);
`;

describe("the package without native modules", () => {
  it("loads none with its root and a ledger in memory, so that it runs where they cannot be loaded", () => {
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", watch], {
      cwd: root,
      encoding: "utf8",
    });
    expect(output.trim()).toBe("0");
  });
});
