import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { loadGraphs } from "../../src/server/index.ts";
import { bench, folder, listOf, textOf, until } from "./bench.ts";
import { people } from "./identity-bench.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const langgraph = pathToFileURL(join(root, "node_modules/@langchain/langgraph/dist/index.js")).href;

const graphFile = `
import { Annotation, START, StateGraph } from ${JSON.stringify(langgraph)};
const State = Annotation.Root({ text: Annotation });
export const builder = new StateGraph(State)
  .addNode("echo", (state, config) => ({ text: state.text + (config.configurable.suffix ?? "!") }))
  .addEdge(START, "echo");
export const graph = builder.compile();
export const make = async (config) => {
  if (config.configurable.broken) throw new Error("broken");
  return builder.compile({ name: "made" });
};
export default graph;
export const number = 7;
export const wrong = () => 7;
`;

function project(graphs: Record<string, unknown>, more: Record<string, unknown> = {}): string {
  const path = folder();
  mkdirSync(join(path, "src"));
  writeFileSync(join(path, "src/graph.mjs"), graphFile);
  writeFileSync(
    join(path, "src/typed.ts"),
    `const text: string = "typed";\n${graphFile}\nexport type Text = typeof text;`,
  );
  writeFileSync(
    join(path, "src/policy.mjs"),
    `throw Object.assign(new Error("The policy is\\nnot valid."), { code: "invalid_policy" });`,
  );
  writeFileSync(join(path, "src/syntax.ts"), "export const graph: = 1;");
  writeFileSync(join(path, "langgraph.json"), JSON.stringify({ graphs, ...more }));
  return join(path, "langgraph.json");
}

describe("loading a langgraph.json", () => {
  it("serves compiled graphs, builders and functions that make one", async () => {
    const config = project({
      plain: "./src/graph.mjs:graph",
      byDefault: "./src/graph.mjs",
      built: "./src/graph.mjs:builder",
      made: { path: "./src/graph.mjs:make" },
      typed: "./src/typed.ts:graph",
    });
    const { post } = await bench([], { config });
    for (const assistant_id of ["plain", "byDefault", "built", "made", "typed"]) {
      const { body } = await post("/runs/wait", { assistant_id, input: { text: "hi" } });
      expect(body).toEqual({ text: "hi!" });
    }
    const config2 = { configurable: { suffix: "?" } };
    const { body } = await post("/runs/wait", {
      assistant_id: "made",
      input: { text: "hi" },
      config: config2,
    });
    expect(body).toEqual({ text: "hi?" });
    const broken = { assistant_id: "made", input: {}, config: { configurable: { broken: true } } };
    expect((await post("/runs/wait", broken)).body).toMatchObject({ code: "internal" });
  });

  it("sets what `env` says, and keeps what is set already", async () => {
    process.env["SERVER_TEST_KEPT"] = "mine";
    const env = { SERVER_TEST_NEW: "new", SERVER_TEST_KEPT: "theirs" };
    await loadGraphs(project({ plain: "./src/graph.mjs:graph" }, { env }));
    expect(process.env["SERVER_TEST_NEW"]).toBe("new");
    expect(process.env["SERVER_TEST_KEPT"]).toBe("mine");
    delete process.env["SERVER_TEST_NEW"];
    delete process.env["SERVER_TEST_KEPT"];
  });

  const refusals: [string, Record<string, unknown>, string, RegExp][] = [
    [
      "a file that is not there",
      { a: "./src/none.ts:graph" },
      "graph_load_failed",
      /"graphs\.a".*none\.ts is not there/,
    ],
    [
      "an export that is not there",
      { a: "./src/graph.mjs:none" },
      "graph_load_failed",
      /no export "none" \(it has: .*graph/,
    ],
    [
      "what is no graph",
      { a: "./src/graph.mjs:number" },
      "graph_load_failed",
      /"number".*is no compiled graph/,
    ],
    [
      "a function that makes none",
      { a: "./src/graph.mjs:wrong" },
      "graph_load_failed",
      /"wrong".*returns no compiled graph/,
    ],
    [
      "a file that cannot be read as TypeScript",
      { a: "./src/syntax.ts:graph" },
      "graph_load_failed",
      /"graphs\.a"/,
    ],
    [
      "a policy that is not valid",
      { a: "./src/policy.mjs:graph" },
      "invalid_policy",
      /The policy is not valid/,
    ],
    ["no graphs at all", {}, "bad_config", /"graphs": names no graph/],
    ["a place that is none", { a: 7 }, "bad_config", /"graphs\.a"/],
  ];
  it.each(refusals)(
    "refuses %s, in one line that names the file and the key",
    async (_name, graphs, code, message) => {
      const config = project(graphs);
      const refused = (await loadGraphs(config).catch((error: unknown) => error)) as Error & { code: string };
      expect(refused).toMatchObject({ code });
      expect(refused.message).toMatch(message);
      expect(refused.message).toContain(config);
      expect(refused.message).not.toContain("\n");
    },
  );

  it("refuses a config that is not there, or no JSON", async () => {
    await expect(loadGraphs("/nowhere/langgraph.json")).rejects.toMatchObject({ code: "bad_config" });
    const config = project({});
    writeFileSync(config, "{");
    await expect(loadGraphs(config)).rejects.toThrow(/is no valid JSON/);
  });

  it("refuses a time to live that is none", async () => {
    for (const [ttl, path] of [
      [{ default_ttl: -1 }, "checkpointer.ttl.default_ttl"],
      [{ default_ttl: 60, strategy: "archive" }, "checkpointer.ttl.strategy"],
      ["1d", "checkpointer.ttl"],
    ] as const) {
      const config = project({ plain: "./src/graph.mjs:graph" }, { checkpointer: { ttl } });
      const refused = (await loadGraphs(config).catch((error: unknown) => error)) as Error;
      expect(refused).toMatchObject({ code: "bad_config" });
      expect(refused.message).toContain(`"${path}"`);
    }
  });

  it("reads TypeScript in a process that cannot yet", async () => {
    const config = project({ typed: "./src/typed.ts:graph" });
    const loader = pathToFileURL(join(root, "dist/src/server/graphs/load-graphs.js")).href;
    const program = `
      const { loadGraphs } = await import(${JSON.stringify(loader)});
      const { sources } = await loadGraphs(${JSON.stringify(config)});
      console.log(JSON.stringify(await sources.typed.invoke({ text: "hi" })));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
    expect(JSON.parse(stdout)).toEqual({ text: "hi!" });
  });
});

describe("a project that says how long threads are kept", () => {
  const MINUTE = 60_000;
  const ttl = { strategy: "delete", sweep_interval_minutes: 10, default_ttl: 30 };

  it("has those deleted on which nothing happened for so long, unless they say otherwise", async () => {
    let now = Date.now();
    const config = project({ plain: "./src/graph.mjs:graph" }, { checkpointer: { ttl } });
    const server = await bench([], { config, clock: () => now, sweepEveryMs: 20 });
    const { get, post } = server;
    const run = { assistant_id: "plain", input: { text: "hi" } };
    await post("/threads", { thread_id: "created" });
    await post("/threads/begun/runs/wait", { ...run, if_not_exists: "create" });
    const alone = await post("/runs", { ...run, on_completion: "keep" });
    await post("/threads", { thread_id: "kept", ttl: null });
    await post("/threads", { thread_id: "longer", ttl: 60 });
    const short = ["created", "begun", textOf(alone.body["thread_id"])];
    for (const id of short)
      expect((await get(`/threads/${id}`)).body["ttl"]).toMatchObject({
        strategy: "delete",
        ttl_minutes: 30,
      });
    now += 31 * MINUTE;
    await until(async () => listOf((await post("/threads/search", {})).body).length === 2);
    for (const id of short) expect((await get(`/threads/${id}`)).status).toBe(404);
    expect((await get("/threads/kept")).body["ttl"]).toBeUndefined();
    expect((await get("/threads/longer")).body["ttl"]).toMatchObject({ ttl_minutes: 60 });
    expect(server.errors).toEqual([]);
  });

  it("lets nobody but an admin keep one for longer", async () => {
    const config = project({ plain: "./src/graph.mjs:graph" }, { checkpointer: { ttl } });
    const { ana, all } = await people([], { ana: ["requester"], all: ["admin"] }, { config });
    for (const ttl of [null, 60])
      expect((await ana.post("/threads", { ttl })).body["code"]).toBe("forbidden");
    expect((await ana.post("/threads")).body["ttl"]).toMatchObject({ ttl_minutes: 30 });
    expect((await all.post("/threads", { ttl: null })).status).toBe(200);
  });
});
