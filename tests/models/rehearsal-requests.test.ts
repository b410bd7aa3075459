import { HumanMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planOf } from "../../src/models/rehearsal/plan.ts";
import { bound } from "./bound-rehearsal.ts";

async function callsFor(request: string, names?: string[]): Promise<[string, unknown][]> {
  const message = await bound(names).invoke([new HumanMessage(request)]);
  return (message.tool_calls ?? []).map((call) => [call.name, call.args]);
}

describe("the rehearsal model reads requests", () => {
  const DELETE_AND_READ: [string, unknown][] = [
    ["delete_file", { path: "notes/old.md" }],
    ["read_file", { path: "notes/todo.md" }],
  ];
  it.each([
    ["delete notes/old.md and show me notes/todo.md", DELETE_AND_READ],
    ["Please remove the file notes/old.md, and read notes/todo.md.", DELETE_AND_READ],
    ["删除 notes/old.md 并显示 notes/todo.md", DELETE_AND_READ],
    ["请把 notes/old.md 删掉，看看 notes/todo.md", DELETE_AND_READ],
    [
      "delete a.txt, b.txt and c.txt",
      ["a", "b", "c"].map((name) => ["delete_file", { path: `${name}.txt` }]),
    ],
    ["list files", [["list_files", { path: "." }]]],
    ["列出 notes 目录", [["list_files", { path: "notes" }]]],
    ["what's in README.md?", [["read_file", { path: "README.md" }]]],
    ["delete Makefile", [["delete_file", { path: "Makefile" }]]],
    [
      'write "rest and be glad" to notes/a.txt',
      [["write_file", { path: "notes/a.txt", content: "rest and be glad" }]],
    ],
    ["创建 a.txt，内容为 苹果和香蕉", [["write_file", { path: "a.txt", content: "苹果和香蕉" }]]],
    ["把“你好”写入 notes/hi.txt", [["write_file", { path: "notes/hi.txt", content: "你好" }]]],
    ["move notes/old.md to archive/", [["move_file", { from: "notes/old.md", to: "archive/old.md" }]]],
    ["把 a.txt 重命名为 b.txt", [["move_file", { from: "a.txt", to: "b.txt" }]]],
    ["run `ls && rm -rf tmp`", [["run_shell", { command: "ls && rm -rf tmp" }]]],
    ["run ls; rm -rf tmp", [["run_shell", { command: "ls; rm -rf tmp" }]]],
    ["运行 ls -la", [["run_shell", { command: "ls -la" }]]],
    [
      "query data/shop.db: select * from orders where amount > 10 and status = 'open'",
      [
        [
          "sql_query",
          { database: "data/shop.db", sql: "select * from orders where amount > 10 and status = 'open'" },
        ],
      ],
    ],
    ["在 data/shop.db 查询 select 1", [["sql_query", { database: "data/shop.db", sql: "select 1" }]]],
    ["delete data/shop.db", [["delete_file", { path: "data/shop.db" }]]],
    [
      "fetch http://127.0.0.1:4100/ok",
      [["http_request", { method: "GET", url: "http://127.0.0.1:4100/ok" }]],
    ],
    [
      'POST {"a": 1, "b": "x and y"} to https://example.com/x',
      [
        [
          "http_request",
          {
            method: "POST",
            url: "https://example.com/x",
            body: '{"a": 1, "b": "x and y"}',
            headers: { "content-type": "application/json" },
          },
        ],
      ],
    ],
  ])("%s", async (request, calls) => {
    expect(await callsFor(request)).toEqual(calls);
  });

  it("gives each call an id of its own", async () => {
    const message = await bound().invoke([new HumanMessage("delete a.txt and b.txt")]);
    const again = await bound().invoke([new HumanMessage("delete a.txt and b.txt")]);
    const ids = [...(message.tool_calls ?? []), ...(again.tool_calls ?? [])].map((call) => call.id);
    expect(new Set(ids).size).toBe(4);
  });

  it("calls bound tools only, and says which one it lacks", async () => {
    const message = await bound(["read_file"]).invoke([new HumanMessage("delete a.txt and read b.txt")]);
    expect(message.tool_calls?.map((call) => call.name)).toEqual(["read_file"]);
    expect(message.text).toContain('no tool "delete_file"');
  });

  it.each([["hello"], ["how are you, and what can you do?"], ["你好"]])(
    "says plainly what it is when it does not understand: %s",
    async (request) => {
      const message = await bound().invoke([new HumanMessage(request)]);
      expect(message.tool_calls).toEqual([]);
      expect(message.text).toMatch(/rehearsal model|排练模型/u);
      expect(message.text).toContain("COUNTERSIGN_MODEL");
    },
  );

  it.each([["delete everything"], ["write a.txt"], ["select * from orders"]])(
    "asks for what is missing and calls nothing: %s",
    async (request) => {
      const message = await bound().invoke([new HumanMessage(request)]);
      expect(message.tool_calls).toEqual([]);
      expect(message.text).toContain("?");
    },
  );

  it("reads any text without throwing", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 300 }),
        fc.constantFrom("delete ", "run ", "把", ""),
        (text, lead) => {
          const { groups, missing, unclear } = planOf(lead + text);
          expect(groups.length + missing.length + unclear.length).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  it("is not kept busy by a long text", () => {
    const started = performance.now();
    planOf(`delete ${"a, ".repeat(200_000)}`);
    planOf(`write ${"x ".repeat(1900)}`);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it("streams its text word by word, with the same calls", async () => {
    const stream = await bound().stream([new HumanMessage("delete a.txt and show b.txt")]);
    const texts: string[] = [];
    let calls = 0;
    for await (const chunk of stream) {
      if (chunk.text !== "") texts.push(chunk.text);
      calls += chunk.tool_call_chunks?.filter((piece) => piece.name !== undefined).length ?? 0;
    }
    expect(texts.length).toBeGreaterThan(3);
    expect(calls).toBe(2);
  });
});
