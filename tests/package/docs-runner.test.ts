import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { compile } from "./compile.ts";
import { blocksOf, exchangesOf, patternOf } from "./docs-blocks.ts";
import { newReader } from "./docs-run.ts";
import type { Reader } from "./docs-run.ts";

const page = [
  "Some prose.",
  "```sh",
  "echo one",
  "```",
  "<!-- not run: it needs a key -->",
  "",
  "```sh",
  "echo two",
  "```",
  "<!-- server -->",
  "```console",
  "$ echo three",
  "three",
  "```",
  "````text",
  "```",
  "````",
].join("\n");

describe("the blocks of a page", () => {
  it("are found with their language, line and code", () => {
    const found = blocksOf(page).map(({ language, line, code }) => [language, line, code]);
    expect(found).toEqual([
      ["sh", 2, "echo one\n"],
      ["sh", 7, "echo two\n"],
      ["console", 11, "$ echo three\nthree\n"],
      ["text", 15, "```\n"],
    ]);
  });

  it("need a server from the comment on, and not before", () => {
    expect(blocksOf(page).map(({ server }) => server)).toEqual([false, false, true, true]);
  });

  it("are left out for a stated reason, each on its own", () => {
    expect(blocksOf(page).map(({ notRun }) => notRun)).toEqual([
      undefined,
      "it needs a key",
      undefined,
      undefined,
    ]);
  });

  it("are refused when one is never closed", () => {
    expect(() => blocksOf("text\n```sh\nls")).toThrow("opens in line 2 is never closed");
  });
});

describe("a console block", () => {
  it("is split into commands and what they print", () => {
    expect(exchangesOf("$ a\n1\n2\n$ b \\\n  c\n3\n$ cat <<X\n> y\n> X\ny\n")).toEqual([
      { command: "a", output: "1\n2\n" },
      { command: "b \\\n  c", output: "3\n" },
      { command: "cat <<X\ny\nX", output: "y\n" },
    ]);
  });

  it("does not begin with output", () => {
    expect(() => exchangesOf("three\n")).toThrow("begins with a command");
  });

  it.each([
    ["a.b", "a.b\n"],
    ["id <id> took …", "id apr_1f took 3 ms\n"],
    ["<id> is <id>", "x1 is x1\n"],
    ["first\n…\nlast", "first\n2\n3\nlast\n"],
    ["first\n…\nlast", "first\nlast\n"],
    ["", ""],
  ])("shows %j for %j", (shown, output) => expect(output).toMatch(patternOf(shown)));

  it.each([
    ["a.b", "axb\n"],
    ["id <id>", "id \n"],
    ["<id> is <id>", "x1 is x2\n"],
    ["first", "first\nsecond\n"],
    ["", "something\n"],
  ])("does not show %j for %j", (shown, output) => expect(output).not.toMatch(patternOf(shown)));
});

describe("a reader", () => {
  const reader: { here?: Reader } = {};
  beforeAll(async () => {
    reader.here = await newReader();
  });
  afterAll(() => reader.here?.close());
  const run = (code: string) => reader.here!.run(code);

  it("sees what is printed, on both streams", async () => {
    expect(await run("echo out; echo err >&2")).toEqual({ code: 0, output: "out\nerr\n" });
  });

  it("keeps folder and variables from block to block", async () => {
    await run("mkdir -p deep && cd deep && name='two words'");
    expect((await run('echo "$(basename "$PWD") $name"')).output).toBe("deep two words\n");
  });

  it("stops at the first command that fails", async () => {
    const { code, output } = await run("false\necho on");
    expect([code === 0, output]).toEqual([false, ""]);
  });

  it("leaves nothing running", async () => {
    const { output } = await run("sleep 300 >/dev/null 2>&1 & echo $!");
    // A process that has ended may stay listed as a zombie (Z) until it is reaped.
    const stillRuns = `ps -o stat= -p ${output.trim()} | grep -v Z || echo gone`;
    await vi.waitFor(async () => expect((await run(stillRuns)).output).toBe("gone\n"));
  });

  it("meets a server of its own at the address that the pages show", async () => {
    const { output } = await run("echo 127.0.0.1:4100; echo $COUNTERSIGN_URL");
    expect(output).toBe("127.0.0.1:4100\nhttp://127.0.0.1:4100\n");
  });
});

describe("the TypeScript of a page", () => {
  it("compiles against the package", () => {
    expect(
      compile(new Map([["a.ts", 'import "countersign";\nconst x: number = await Promise.resolve(1);']])),
    ).toEqual([]);
  });

  it("does not pass with a wrong type or an unknown name", () => {
    const files = new Map([["a.ts", 'import { nothing } from "countersign";\nconst x: number = "1";']]);
    expect(compile(files)).toEqual([
      expect.stringMatching(/^a\.ts\(1\): .*no exported member 'nothing'/),
      expect.stringMatching(/^a\.ts\(2\): Type 'string' is not assignable to type 'number'/),
    ]);
  });
});
