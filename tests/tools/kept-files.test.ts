import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, describe, expect, it, vi } from "vitest";
import { riskOf } from "../../src/graph/with-risk.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { workspaceTools } from "../../src/tools/index.ts";
import { tempWorkspace, type TempWorkspace } from "./temp-workspace.ts";

const PART = /out of reach of every tool/u;

afterEach(() => vi.unstubAllEnvs());

/** A workspace with a live store in a folder of it, under no name that is known. */
async function withStore(): Promise<TempWorkspace & { store: string; close: () => Promise<void> }> {
  const workspace = tempWorkspace();
  mkdirSync(join(workspace.root, "data"));
  const store = join(workspace.root, "data/state.db");
  vi.stubEnv("COUNTERSIGN_STORE", `file:${store}`);
  const ledger = await openLedger(`file:${store}`);
  return { ...workspace, store, close: () => ledger.close() };
}

describe("the store", () => {
  it("is out of reach by its name, its log's, and that of what lies beside it", async () => {
    const { call, store, close } = await withStore();
    expect(existsSync(`${store}-wal`)).toBe(true);
    writeFileSync(`${store}.bak`, "copy");
    for (const path of [
      "data/state.db",
      "data/state.db-wal",
      "data/state.db-shm",
      "data/state.db.bak",
      "data/../data/./state.db",
    ]) {
      await expect(call("read_file", { path })).rejects.toThrow(PART);
      await expect(call("write_file", { path, content: "x" })).rejects.toThrow(PART);
      await expect(call("delete_file", { path })).rejects.toThrow(PART);
      await expect(call("move_file", { from: path, to: "free.db" })).rejects.toThrow(PART);
      await expect(call("sql_query", { database: path, sql: "SELECT 1" })).rejects.toThrow(PART);
    }
    await close();
  });

  it("is out of reach through links of both kinds, and does not move with its folder", async () => {
    const { call, root, store, close } = await withStore();
    linkSync(store, join(root, "hard.db"));
    symlinkSync(store, join(root, "soft.db"));
    symlinkSync("data", join(root, "alias"));
    for (const database of ["hard.db", "soft.db", "alias/state.db"]) {
      await expect(call("sql_query", { database, sql: "SELECT * FROM ledger_events" })).rejects.toThrow(PART);
      await expect(call("read_file", { path: database })).rejects.toThrow(PART);
    }
    const tool = workspaceTools(root).find(({ name }) => name === "sql_query");
    const risk = riskOf(tool ?? {})?.tier;
    expect(typeof risk === "function" && risk({ database: "hard.db", sql: "SELECT 1" })).toBe("approve");
    await expect(call("move_file", { from: "data", to: "other" })).rejects.toThrow(/decides about calls/u);
    await close();
  });

  it("is out of reach through /proc and through ATTACH", async () => {
    const { call, root, store, close } = await withStore();
    symlinkSync("/proc/self/fd", join(root, "fds"));
    for (const path of ["fds/3", "../../proc/self/fd/3", "/proc/self/fd/3", "/dev/fd/3"])
      await expect(call("read_file", { path })).rejects.toThrow(/outside the workspace/u);
    new Database(join(root, "notes.db")).exec("CREATE TABLE t (a)").close();
    for (const sql of [
      `ATTACH '${store}' AS s`,
      `/**/ATTACH DATABASE '${store}' AS s`,
      `VACUUM INTO '${store}'`,
    ])
      await expect(call("sql_query", { database: "notes.db", sql })).rejects.toThrow(/was not run/u);
    await close();
  });

  it("is out of reach as a copy, which has neither its name nor its place", async () => {
    const { call, root, store, close } = await withStore();
    await close();
    copyFileSync(store, join(root, "innocent.db"));
    const query = { database: "innocent.db", sql: "SELECT count(*) FROM ledger_events" };
    await expect(call("sql_query", query)).rejects.toThrow(PART);
  });

  it("takes nothing from other databases and files", async () => {
    const { call, root, close } = await withStore();
    new Database(join(root, "data/notes.db")).exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)").close();
    expect(await call("sql_query", { database: "data/notes.db", sql: "SELECT a FROM t" })).toBe("a\n1");
    writeFileSync(join(root, "one.txt"), "words");
    linkSync(join(root, "one.txt"), join(root, "two.txt"));
    expect(await call("read_file", { path: "two.txt" })).toBe("words");
    await close();
  });
});

describe("the policies and the program", () => {
  it("are out of reach of a workspace that they are in", async () => {
    const root = new URL("../..", import.meta.url).pathname;
    const tools = new Map(workspaceTools(root).map((tool) => [tool.name, tool]));
    const policy = "graphs/policies/everyday.json";
    const before = readFileSync(join(root, policy), "utf8");
    for (const path of [policy, "langgraph.json", "src/graph/gate.ts", "dist/src/index.js"])
      await expect(tools.get("read_file")!.invoke({ path })).rejects.toThrow(PART);
    await expect(tools.get("write_file")!.invoke({ path: policy, content: "{}" })).rejects.toThrow(PART);
    await expect(tools.get("move_file")!.invoke({ from: "graphs", to: "other" })).rejects.toThrow(PART);
    expect(readFileSync(join(root, policy), "utf8")).toBe(before);
  });
});

describe("a command of run_shell", () => {
  it("sees no secret of the server in its environment", async () => {
    vi.stubEnv("COUNTERSIGN_TOKEN", "secret-token");
    vi.stubEnv("OPENAI_API_KEY", "secret-key");
    const said = await tempWorkspace().call("run_shell", { command: "env" });
    expect(said).not.toContain("secret");
    expect(said).not.toContain("COUNTERSIGN");
  });
});
