import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { riskOf } from "../../src/graph/with-risk.ts";
import { workspaceTools } from "../../src/tools/index.ts";
import { classify } from "../../src/tools/sql-statement.ts";
import { tempWorkspace } from "./temp-workspace.ts";

function withDatabase(...args: Parameters<typeof tempWorkspace>) {
  const workspace = tempWorkspace(...args);
  const database = new Database(join(workspace.root, "x.db"));
  database.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t (v) VALUES ('a'), (NULL)");
  database.close();
  const risk = riskOf(workspaceTools(workspace.root).find((each) => each.name === "sql_query") ?? {})?.tier;
  const tier = (sql: unknown, database: unknown = "x.db") => {
    if (typeof risk !== "function") throw new Error("sql_query has no risk function.");
    return risk({ database, sql });
  };
  const run = (sql: string) => workspace.call("sql_query", { database: "x.db", sql });
  return { ...workspace, tier, run };
}

const ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";

/** Common table expressions of which each reads the one before it twice. */
function doubled(count: number): string {
  let sql = "WITH a0 AS (SELECT 1 x)";
  for (let n = 1; n <= count; n += 1)
    sql += `, a${n} AS (SELECT * FROM a${n - 1} UNION ALL SELECT * FROM a${n - 1})`;
  return `${sql} SELECT count(*) FROM a${count}`;
}

/** Subqueries of which each names the column of the one inside it many times. */
function nested(levels: number, terms: number): string {
  let from = "t";
  for (let n = 0; n < levels; n += 1) from = `(SELECT ${Array(terms).fill("v").join("+")} v FROM ${from})`;
  return `SELECT v FROM ${from}`;
}

describe("the risk of a statement", () => {
  it.each([
    ["SELECT * FROM t"],
    ["  -- why\n /* and how */ select 1"],
    ["WITH a AS (SELECT 1) SELECT * FROM a"],
    ["VALUES (1)"],
    ["EXPLAIN QUERY PLAN SELECT * FROM t"],
    ["PRAGMA table_info(t)"],
    ["PRAGMA user_version"],
    ["SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5"],
  ])("is auto where SQLite says that it only reads: %s", (sql) => {
    expect(withDatabase().tier(sql)).toBe("auto");
  });

  it.each([
    ["DELETE FROM t"],
    ["INSERT INTO t (v) VALUES ('x')"],
    ["WITH a AS (SELECT 1) DELETE FROM t"],
    ["EXPLAIN DELETE FROM t"],
    ["DROP TABLE t"],
    ["PRAGMA user_version = 3"],
    ["PRAGMA user_version(3)"],
    ["PRAGMA writable_schema = 1"],
    ["EXPLAIN PRAGMA journal_mode = wal"],
    ["PRAGMA journal_mode"],
    ["BEGIN"],
    ["BEGIN IMMEDIATE"],
    ["ATTACH '/etc/x.db' AS y"],
    ["VACUUM INTO 'copy.db'"],
    ["SELECT load_extension('x')"],
    ["SELECT 1; DELETE FROM t"],
    ["SELECT * FROM gone"],
    ["selec"],
    [""],
    [7],
  ])("is approve for a change, and when it cannot be told: %s", (sql) => {
    expect(withDatabase().tier(sql)).toBe("approve");
  });

  it("is approve for a database outside or not there, and makes no file", () => {
    const { tier, root } = withDatabase();
    for (const database of ["gone.db", "../x.db", "/tmp/x.db", ".countersign/state.db", 7, "x.db\0"]) {
      expect(tier("SELECT 1", database)).toBe("approve");
    }
    expect(readdirSync(root)).toEqual(["x.db"]);
  });

  it("is auto for a statement on a view, and beside one", () => {
    const { tier, root } = withDatabase();
    const database = new Database(join(root, "x.db"));
    database.exec("CREATE VIEW named AS SELECT v FROM t WHERE v IS NOT NULL");
    database.close();
    expect(tier("SELECT * FROM named")).toBe("auto");
    expect(tier("SELECT * FROM t")).toBe("auto");
  });

  it.each([
    ["common table expressions", doubled(26)],
    ["two wide subqueries", nested(2, 450)],
    ["three narrow subqueries", nested(3, 100)],
    ["five subqueries", nested(5, 8)],
    ["a thousand stars", `SELECT ${"*,".repeat(1000)} 1 FROM t a, t b, t c, t d, t e, t f, t g`],
    ["one long join", `SELECT 1 FROM ${Array.from({ length: 60 }, (_, n) => `t t${n}`).join(",")}`],
    ["one long condition", `SELECT 1 FROM t a, t b, t c WHERE ${"a.v=b.v OR ".repeat(170)} c.v`],
  ])("does not hold the process for longer than 0.3 s with %s", (_, sql) => {
    const { tier } = withDatabase();
    tier("SELECT 1");
    const started = performance.now();
    tier(sql);
    expect(performance.now() - started).toBeLessThan(300);
  });

  it("does not hold the process for longer than 0.3 s with views of views", () => {
    const { tier, root } = withDatabase();
    const database = new Database(join(root, "x.db"));
    database.exec("CREATE VIEW w0 AS SELECT v FROM t");
    for (let n = 1; n <= 26; n += 1)
      database.exec(`CREATE VIEW w${n} AS SELECT v FROM w${n - 1} UNION ALL SELECT v FROM w${n - 1}`);
    database.close();
    const started = performance.now();
    expect(tier("SELECT v FROM W26")).toBe("approve");
    expect(tier("PRAGMA table_list")).toBe("approve");
    expect(tier("SELECT v FROM t")).toBe("auto");
    expect(performance.now() - started).toBeLessThan(300);
  });

  it("sorts any text without throwing, and never takes a text without a reading word for a query", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const kind = classify(text).kind;
        if (!/select|values|with|explain|pragma/iu.test(text)) expect(kind).not.toBe("query");
      }),
    );
  });
});

describe("sql_query", () => {
  it("shows rows, with their columns", async () => {
    const { run } = withDatabase();
    expect(await run("SELECT id, v FROM t")).toBe("id | v\n1 | a\n2 | NULL");
    expect(await run("SELECT v FROM t WHERE id > 9")).toBe("No rows. Columns: v");
  });

  it("changes rows and says how many", async () => {
    const { run } = withDatabase();
    expect(await run("UPDATE t SET v = 'b'")).toBe("Done, 2 rows changed.");
    expect(await run("INSERT INTO t (v) VALUES ('c') RETURNING id, v")).toBe("id | v\n3 | c");
    expect(await run("SELECT count(*) AS n FROM t WHERE v = 'b'")).toBe("n\n2");
  });

  it.each([
    ["ATTACH 'y.db' AS y", /other files/u],
    ["VACUUM INTO 'y.db'", /other files/u],
    ["PRAGMA journal_mode = off", /PRAGMA/u],
    ["BEGIN", /transaction of its own/u],
    ["SELECT load_extension('x')", /native code/u],
    ["SELECT 1; DELETE FROM t", /more than one statement/u],
    ["selec", /syntax error/u],
  ])("does not run %s", async (sql, message) => {
    const { run, root } = withDatabase();
    await expect(run(sql)).rejects.toThrow(message);
    const database = new Database(join(root, "x.db"), { readonly: true });
    expect(database.prepare("SELECT count(*) FROM t").pluck().get()).toBe(2);
    database.close();
    expect(existsSync(join(root, "y.db"))).toBe(false);
  });

  it("does not make a database, and says that a file is none", async () => {
    const { call, root } = withDatabase();
    await expect(call("sql_query", { database: "gone.db", sql: "SELECT 1" })).rejects.toThrow(
      /There is no "gone\.db"/u,
    );
    writeFileSync(join(root, "text.db"), "this is no database, it is a text of some length");
    await expect(call("sql_query", { database: "text.db", sql: "SELECT * FROM t" })).rejects.toThrow(
      /not a database/u,
    );
    expect(existsSync(join(root, "gone.db"))).toBe(false);
  });

  it("cuts many rows and says so", async () => {
    const { call } = withDatabase({ maxRows: 3 });
    const sql = "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c LIMIT 10) SELECT x FROM c";
    expect(await call("sql_query", { database: "x.db", sql })).toBe("x\n1\n2\n3\n[cut: more than 3 rows]");
  });

  it("stops a statement without an end at its time limit, and does not keep this process busy", async () => {
    const { call } = withDatabase({ sqlTimeoutMs: 2000 });
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 20);
    await expect(call("sql_query", { database: "x.db", sql: ENDLESS })).rejects.toThrow(
      /did not end within 2 s/u,
    );
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(20);
  });

  it("stops when the run is cancelled", async () => {
    const { call } = withDatabase();
    const abort = new AbortController();
    const running = call("sql_query", { database: "x.db", sql: ENDLESS }, abort.signal);
    setTimeout(() => abort.abort(), 100);
    await expect(running).rejects.toThrow();
  });
});
