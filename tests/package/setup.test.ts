import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onPostgres, postgresUrl } from "../setup/postgres.ts";

const root = new URL("../../", import.meta.url).pathname;
const folder = { path: "" };

beforeAll(async () => {
  folder.path = await mkdtemp(join(root, "tests/setup/.try-"));
});
afterAll(() => rm(folder.path, { recursive: true }));

/** Runs Vitest, as this repository sets it up, on one test file with these lines. */
async function run(...lines: string[]): Promise<{ code: number; output: string; stdout: string }> {
  const file = join(folder.path, "example.test.ts");
  const head = ['import { EventEmitter } from "node:events";', 'import { expect, it, vi } from "vitest";'];
  await writeFile(file, [...head, ...lines].join("\n"));
  const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", file];
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: root }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr, stdout }),
    );
  });
}

const lastLine = (stdout: string) => stdout.trimEnd().split("\n").at(-1);

describe("the test run", () => {
  it("ends with one plain line that counts tests", async () => {
    const { code, stdout } = await run(
      'it("a", () => expect(1).toBe(1));',
      'it("b", () => expect(1).toBe(2));',
    );
    expect(lastLine(stdout)).toBe("1 passed, 1 failed");
    expect(code).toBe(1);
  });

  it("counts a file that cannot be loaded as a failure", async () => {
    const { stdout } = await run('throw new Error("broken file");');
    expect(lastLine(stdout)).toBe("0 passed, 1 failed");
  });

  it("fails a test that prints", async () => {
    const { code, output } = await run('it("a", () => console.warn("left over"));');
    expect(output).toContain("console.warn: left over");
    expect(code).toBe(1);
  });

  it("does not fail a test that says it expects the output", async () => {
    const spy = 'vi.spyOn(console, "warn").mockImplementation(() => undefined);';
    const { code } = await run(`it("a", () => { ${spy} console.warn("wanted"); });`);
    expect(code).toBe(0);
  });

  it("fails a test that leaks listeners", async () => {
    const leak = 'for (let n = 0; n < 12; n += 1) emitter.on("x", () => undefined);';
    const { code, output } = await run(`it("a", () => { const emitter = new EventEmitter(); ${leak} });`);
    expect(output).toContain("process warning: MaxListenersExceededWarning");
    expect(code).toBe(1);
  });
});

const one = postgresUrl();

describe.skipIf(!one)("the databases of the tests", () => {
  const other = postgresUrl();

  it("are empty, and one is not the other", async () => {
    expect(one).not.toBe(other);
    await onPostgres(one!, "create table thing (id int)");
    await onPostgres(other!, "create table thing (id int)");
  });
});
