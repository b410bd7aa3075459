import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
import { describe, expect, it } from "vitest";

/** The snippets are files that do not exist, so the rules that need the compiler are switched off for them. */
const eslint = new ESLint({ overrideConfig: [tseslint.configs.disableTypeChecked] });

async function messages(filePath: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(`${code}\n`, { filePath });
  return (result?.messages ?? [])
    .map(({ message }) => message)
    .filter((message) => !message.includes("is assigned a value but") && !message.includes("is defined but"));
}

const value = (from: string) => `export { name } from "${from}";`;

const ledger = "src/ledger may not import";
const desk = "src/desk may not import";
const onlyLedgerAndPolicy = "desk imports ledger and policy only.";

const forbidden: [file: string, from: string, message: string][] = [
  [
    "src/policy/a.ts",
    "../ledger/a.ts",
    "src/policy may not import src/ledger: policy is pure and imports nothing of ours.",
  ],
  [
    "src/policy/a.ts",
    "../desk/a.ts",
    "src/policy may not import src/desk: policy is pure and imports nothing of ours.",
  ],
  [
    "src/policy/a.ts",
    "../graph/with-risk.ts",
    "src/policy may not import src/graph: policy is pure and imports nothing of ours.",
  ],
  [
    "src/policy/a.ts",
    "../server/a.ts",
    "src/policy may not import src/server: policy is pure and imports nothing of ours.",
  ],
  [
    "src/policy/a.ts",
    "node:fs",
    "src/policy may not look at the world: policy is pure, and facts are handed in.",
  ],
  [
    "src/policy/a.ts",
    "node:fs/promises",
    "src/policy may not look at the world: policy is pure, and facts are handed in.",
  ],
  [
    "src/policy/a.ts",
    "@langchain/core/tools",
    "src/policy may not import LangChain: agents enter at src/graph.",
  ],
  ["src/ledger/a.ts", "../desk/a.ts", `${ledger} src/desk: ledger imports policy only.`],
  ["src/ledger/a.ts", "../graph/a.ts", `${ledger} src/graph: ledger imports policy only.`],
  ["src/ledger/a.ts", "../server/a.ts", `${ledger} src/server: ledger imports policy only.`],
  ["src/ledger/sql/a.ts", "../../desk/a.ts", `${ledger} src/desk: ledger imports policy only.`],
  ["src/ledger/a.ts", "@langchain/langgraph", `${ledger} @langchain/langgraph: only src/graph may.`],
  ["src/desk/a.ts", "../graph/a.ts", `${desk} src/graph: ${onlyLedgerAndPolicy}`],
  ["src/desk/a.ts", "../server/a.ts", `${desk} src/server: ${onlyLedgerAndPolicy}`],
  ["src/desk/a.ts", "../wire.ts", `${desk} src/wire.ts: ${onlyLedgerAndPolicy}`],
  ["src/desk/a.ts", "kysely", `${desk} kysely: only src/ledger may.`],
  ["src/desk/a.ts", "../mount.ts", `${desk} src/mount.ts: ${onlyLedgerAndPolicy}`],
  ["src/desk/a.ts", "hono", `${desk} hono: only src/server, src/wire.ts may.`],
  [
    "src/graph/a.ts",
    "../server/a.ts",
    "src/graph may not import src/server: graph imports desk, ledger, policy and models/index.ts only.",
  ],
  [
    "src/graph/a.ts",
    "../cli/a.ts",
    "src/graph may not import src/cli: graph imports desk, ledger, policy and models/index.ts only.",
  ],
  [
    "src/graph/a.ts",
    "../wire.ts",
    "src/graph may not import src/wire.ts: graph imports desk, ledger, policy and models/index.ts only.",
  ],
  [
    "src/graph/a.ts",
    "../index.ts",
    "src/graph may not import src/index.ts: graph imports desk, ledger, policy and models/index.ts only.",
  ],
  [
    "src/graph/a.ts",
    "countersign",
    "src/graph may not import the package root: rooms import each other's files.",
  ],
  ["src/graph/a.ts", "pg", "src/graph may not import pg: only src/ledger may."],
  ["src/graph/a.ts", "@hono/node-server", "src/graph may not import hono: only src/server, src/wire.ts may."],
  [
    "src/server/a.ts",
    "../graph/a.ts",
    "src/server may not import src/graph: server imports desk, ledger and policy only.",
  ],
  [
    "src/server/routes/a.ts",
    "../../graph/a.ts",
    "src/server may not import src/graph: server imports desk, ledger and policy only.",
  ],
  [
    "src/server/a.ts",
    "../cli/a.ts",
    "src/server may not import src/cli: server imports desk, ledger and policy only.",
  ],
  [
    "src/server/a.ts",
    "better-sqlite3",
    "src/server may not import better-sqlite3: only src/ledger, src/tools may.",
  ],
  [
    "src/server/a.ts",
    "@langchain/langgraph",
    "src/server may take what runs a graph from @langchain/langgraph, and nothing that builds one.",
  ],
  [
    "src/models/a.ts",
    "../graph/agent.ts",
    "src/models may not import src/graph: models imports nothing of ours",
  ],
  [
    "src/models/a.ts",
    "../policy/a.ts",
    "src/models may not import src/policy: models imports nothing of ours",
  ],
  [
    "src/tools/a.ts",
    "../graph/agent.ts",
    "src/tools may not import src/graph: tools imports graph/with-risk.ts and types of policy only.",
  ],
  [
    "src/tools/a.ts",
    "../desk/a.ts",
    "src/tools may not import src/desk: tools imports graph/with-risk.ts and types of policy only.",
  ],
  [
    "src/tools/a.ts",
    "@langchain/langgraph",
    "src/tools may not import @langchain/langgraph: only src/graph may.",
  ],
  [
    "src/cli/a.ts",
    "../server/a.ts",
    "src/cli may not import src/server: cli imports wire.ts, policy and types of desk and ledger only.",
  ],
  [
    "src/cli/a.ts",
    "../desk/a.ts",
    "src/cli may not import src/desk: cli imports wire.ts, policy and types of desk and ledger only.",
  ],
  [
    "src/inbox/a.ts",
    "../policy/a.ts",
    "src/inbox may not import src/policy: inbox knows the HTTP API only and imports nothing of ours.",
  ],
  [
    "graphs/a.ts",
    "../src/graph/agent.ts",
    'graphs/ may not reach into the package: a graph imports the public surface, "countersign".',
  ],
  [
    "graphs/a.ts",
    "countersign/dist/a.js",
    'graphs/ may not import a part of the package: the public surface is its root, "countersign".',
  ],
];

const allowed: [file: string, from: string][] = [
  ["src/policy/a.ts", "./b.ts"],
  ["src/policy/a.ts", "zod"],
  ["src/ledger/a.ts", "../policy/a.ts"],
  ["src/ledger/a.ts", "kysely"],
  ["src/ledger/a.ts", "pg"],
  ["src/ledger/a.ts", "better-sqlite3"],
  ["src/desk/a.ts", "../policy/a.ts"],
  ["src/desk/a.ts", "../ledger/a.ts"],
  ["src/graph/a.ts", "../policy/a.ts"],
  ["src/graph/a.ts", "../ledger/a.ts"],
  ["src/graph/a.ts", "../desk/a.ts"],
  ["src/graph/a.ts", "@langchain/langgraph"],
  ["src/server/a.ts", "../policy/a.ts"],
  ["src/server/a.ts", "../ledger/a.ts"],
  ["src/server/a.ts", "../desk/a.ts"],
  ["src/server/a.ts", "hono"],
  ["src/server/a.ts", "@langchain/langgraph-checkpoint-sqlite"],
  ["src/graph/a.ts", "../models/index.ts"],
  ["src/tools/a.ts", "../graph/with-risk.ts"],
  ["src/tools/a.ts", "better-sqlite3"],
  ["src/cli/a.ts", "../wire.ts"],
  ["src/cli/a.ts", "../policy/a.ts"],
  ["src/wire.ts", "./server/a.ts"],
  ["src/wire.ts", "./graph/a.ts"],
  ["src/mount.ts", "./server/a.ts"],
  ["src/mount.ts", "./graph/a.ts"],
  ["src/wire.ts", "@langchain/langgraph-checkpoint-sqlite"],
  ["graphs/a.ts", "countersign"],
  ["graphs/a.ts", "@langchain/langgraph"],
];

describe("the walls between rooms", () => {
  it.each(forbidden)("%s does not import %s", async (file, from, message) => {
    expect(await messages(file, value(from))).toEqual([expect.stringContaining(message)]);
  });

  it.each(forbidden)("%s does not import %s lazily either", async (file, from, message) => {
    const found = await messages(file, `export const later = () => import("${from}");`);
    expect(found).toEqual([expect.stringContaining(message)]);
  });

  it.each(allowed)("%s imports %s", async (file, from) => {
    expect(await messages(file, value(from))).toEqual([]);
  });

  it("lets tools take types of policy", async () => {
    const code = 'export type { Tier } from "../policy/tier.ts";';
    expect(await messages("src/tools/a.ts", code)).toEqual([]);
  });

  it("lets the cli take types of desk and ledger", async () => {
    expect(await messages("src/cli/a.ts", 'export type { Approval } from "../desk/a.ts";')).toEqual([]);
    expect(await messages("src/cli/a.ts", 'export type { Event } from "../ledger/a.ts";')).toEqual([]);
  });

  it("lets the server take Command and types of LangGraph", async () => {
    const from = 'from "@langchain/langgraph";';
    expect(await messages("src/server/a.ts", `export { Command } ${from}`)).toEqual([]);
    expect(await messages("src/server/a.ts", `export type { CompiledGraph } ${from}`)).toEqual([]);
  });
});

describe("the habits that lint holds", () => {
  const found = (code: string, file = "src/desk/a.ts") => messages(file, code);
  const saying = (text: string): unknown[] => [expect.stringContaining(text)];

  it("refuses `export *`", async () => {
    expect(await found('export * from "./b.ts";')).toEqual(saying("Write the exported names out"));
  });

  it("refuses a default export, in every place", async () => {
    expect(await found("export default 1;")).toEqual(saying("Export by name"));
    expect(await found("export default 1;", "graphs/a.ts")).toEqual(saying("Export by name"));
    expect(await found("export default 1;", "tests/desk/a.ts")).toEqual(saying("Export by name"));
  });

  it("refuses any", async () => {
    expect(await found("export const x = (y: any) => String(y);")).toEqual(saying("Unexpected any"));
  });

  it("refuses the console, except in the cli", async () => {
    expect(await found('console.log("x");')).toEqual(saying("Unexpected console statement"));
    expect(await found('console.log("x");', "src/cli/a.ts")).toEqual([]);
  });

  it("refuses a file of more than 250 lines", async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, at) => `export const n${at} = 1;`);
    expect(await found(lines(251).join("\n"))).toEqual(
      saying("File has too many lines (251). Maximum allowed is 250"),
    );
    expect(await found(lines(249).join("\n"))).toEqual([]);
  });

  it("refuses a function of more than 70 lines", async () => {
    const body = (count: number) => `export function f() {\n${"  g();\n".repeat(count)}}`;
    expect(await found(body(70))).toEqual(saying("has too many lines (72). Maximum allowed is 70"));
    expect(await found(body(60))).toEqual([]);
  });

  it("refuses a type that is imported as a value", async () => {
    const code = 'import { Tier } from "./b.ts";\nexport const x = (y: Tier): Tier => y;';
    expect(await found(code)).toEqual(saying("All imports in the declaration are only used as types"));
  });

  it("refuses a floating promise and a switch that forgets a case", async () => {
    const typed = new ESLint();
    const code = [
      "export async function later(): Promise<void> {",
      "  await Promise.resolve();",
      "}",
      "export function pick(x: 1 | 2): string | undefined {",
      "  later();",
      "  switch (x) {",
      "    case 1:",
      '      return "one";',
      "  }",
      "  return undefined;",
      "}",
    ].join("\n");
    const [result] = await typed.lintText(`${code}\n`, { filePath: "src/index.ts" });
    expect(result?.messages.map(({ message }) => message)).toEqual([
      expect.stringContaining("Promises must be awaited"),
      expect.stringContaining("Switch is not exhaustive. Cases not matched: 2"),
    ]);
  });
});
