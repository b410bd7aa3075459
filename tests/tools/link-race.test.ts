import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { tempWorkspace } from "./temp-workspace.ts";

// The other process exchanges a folder and a link to the outside under the same name, as fast as it can.
const FLIPPER = `
  const fs = require("node:fs");
  const [name, real, link] = process.argv.slice(1);
  process.stdout.write("ready");
  for (;;) {
    try { fs.renameSync(name, real); fs.renameSync(link, name); } catch {}
    try { fs.renameSync(name, link); fs.renameSync(real, name); } catch {}
  }`;

const flippers: ChildProcess[] = [];

afterEach(() => {
  for (const flipper of flippers.splice(0)) flipper.kill("SIGKILL");
});

async function raced() {
  const workspace = tempWorkspace();
  const { root, outside } = workspace;
  mkdirSync(join(root, "dir"));
  for (const folder of [join(root, "dir"), outside]) {
    const content = folder === outside ? "OUTSIDE" : "inside";
    writeFileSync(join(folder, "file"), content);
    const database = new Database(join(folder, "x.db"));
    database.exec(`CREATE TABLE t (v TEXT); INSERT INTO t VALUES ('${content}')`);
    database.close();
  }
  symlinkSync(outside, join(root, "link"));
  const paths = ["dir", "real", "link"].map((name) => join(root, name));
  const flipper = spawn(process.execPath, ["-e", FLIPPER, ...paths], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  flippers.push(flipper);
  await once(flipper.stdout, "data");
  const stop = async () => {
    const exited = once(flipper, "exit");
    flipper.kill("SIGKILL");
    await exited;
  };
  return { ...workspace, stop };
}

describe("while another process exchanges a folder for a link", () => {
  it("file tools never read, write, move or delete outside", async () => {
    const { call, outside, stop } = await raced();
    const before = readdirSync(outside);
    let done = 0;
    const attempt = async (name: string, args: Record<string, unknown>) => {
      const result = await call(name, args).catch(() => undefined);
      if (result === undefined) return;
      done += 1;
      expect(result).not.toContain("OUTSIDE");
    };
    const until = performance.now() + 3000;
    for (let round = 0; performance.now() < until; round += 1) {
      await attempt("read_file", { path: "dir/file" });
      await attempt("write_file", { path: `dir/new${round % 5}`, content: "inside" });
      await attempt("move_file", { from: `dir/new${round % 5}`, to: `dir/moved${round % 5}` });
      await attempt("delete_file", { path: `dir/moved${round % 5}` });
      await attempt("list_files", { path: "dir" });
      await attempt("write_file", { path: "dir/file", content: "inside" });
    }
    await stop();
    expect(readdirSync(outside)).toEqual(before);
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("OUTSIDE");
    // Both sides of the race were seen, or this would prove nothing.
    expect(done).toBeGreaterThan(100);
  });

  it("sql_query never reads or changes a database outside", async () => {
    const { call, outside, stop } = await raced();
    for (let round = 0; round < 6; round += 1) {
      const read = await call("sql_query", { database: "dir/x.db", sql: "SELECT v FROM t" }).catch(() => "");
      expect(read).not.toContain("OUTSIDE");
      await call("sql_query", { database: "dir/x.db", sql: "UPDATE t SET v = 'changed'" }).catch(() => "");
    }
    await stop();
    const database = new Database(join(outside, "x.db"), { readonly: true });
    expect(database.prepare("SELECT v FROM t").pluck().get()).toBe("OUTSIDE");
    database.close();
  });
});
