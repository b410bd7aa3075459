import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { riskOf } from "../../src/graph/with-risk.ts";
import { workspaceTools } from "../../src/tools/index.ts";
import { tempWorkspace } from "./temp-workspace.ts";

function filled(...args: Parameters<typeof tempWorkspace>) {
  const workspace = tempWorkspace(...args);
  mkdirSync(join(workspace.root, "notes"));
  writeFileSync(join(workspace.root, "notes", "a.md"), "hello");
  writeFileSync(join(workspace.outside, "secret"), "do not tell");
  symlinkSync("../outside", join(workspace.root, "out"));
  symlinkSync("notes/a.md", join(workspace.root, "link"));
  return workspace;
}

describe("the tools", () => {
  it("declare their risk, which is not part of what a model sees", () => {
    const tiers = workspaceTools("/nowhere").map((each) => [each.name, riskOf(each)?.tier]);
    expect(Object.fromEntries(tiers)).toMatchObject({
      list_files: "auto",
      read_file: "auto",
      write_file: "approve",
      move_file: "approve",
      delete_file: "approve",
      run_shell: "approve",
    });
    const visible = workspaceTools("/nowhere").map((each) => JSON.stringify([each.name, each.description]));
    expect(visible.join()).not.toMatch(/approve|tier|risk/u);
  });

  it("name their path arguments, and describe a call in a sentence", () => {
    const tools = new Map(workspaceTools("/nowhere").map((each) => [each.name, riskOf(each)]));
    expect(tools.get("move_file")?.paths).toEqual(["from", "to"]);
    expect(tools.get("sql_query")?.paths).toEqual(["database"]);
    expect(tools.get("delete_file")?.describe?.({ path: "a.txt" })).toBe("Deletes a.txt for good.");
  });

  it("refuse arguments that do not fit their schema", async () => {
    const { call } = filled();
    await expect(call("delete_file", {})).rejects.toThrow();
    await expect(call("write_file", { path: "a" })).rejects.toThrow();
  });
});

describe("list_files", () => {
  it("lists one level, folders marked, files with their size", async () => {
    const { call, root } = filled();
    mkdirSync(join(root, ".countersign"));
    expect(await call("list_files", {})).toBe("link (link)\nnotes/\nout (link)");
    expect(await call("list_files", { path: "notes" })).toBe("a.md (5 bytes)");
  });

  it("says that a folder is empty, and that there is none", async () => {
    const { call, root } = filled();
    mkdirSync(join(root, "empty"));
    expect(await call("list_files", { path: "empty" })).toBe('"empty" is empty.');
    await expect(call("list_files", { path: "gone" })).rejects.toThrow(
      'There is no "gone" in the workspace.',
    );
  });

  it("does not list outside", async () => {
    const { call } = filled();
    for (const path of ["..", "/", "out"])
      await expect(call("list_files", { path })).rejects.toThrow(/outside/u);
  });
});

describe("read_file", () => {
  it("reads a file, also through a link that stays inside", async () => {
    const { call } = filled();
    expect(await call("read_file", { path: "notes/a.md" })).toBe("hello");
    expect(await call("read_file", { path: "link" })).toBe("hello");
  });

  it("cuts a long file at a whole character and says so", async () => {
    const { call, root } = filled({ maxReadBytes: 10 });
    writeFileSync(join(root, "long"), "五五五五五");
    expect(await call("read_file", { path: "long" })).toBe(
      "五五五\n[cut: the first 10 of 15 bytes are shown]",
    );
  });

  it("does not show a binary file, and does not wait for a pipe", async () => {
    const { call, root } = filled();
    writeFileSync(join(root, "bin"), Buffer.from([1, 0, 2]));
    expect(await call("read_file", { path: "bin" })).toMatch(/binary file of 3 bytes/u);
    execFileSync("mkfifo", [join(root, "pipe")]);
    await expect(call("read_file", { path: "pipe" })).rejects.toThrow(/special file/u);
  });

  it.each([["out/secret"], ["../outside/secret"], ["/etc/hostname"], ["notes/\0"]])(
    "does not read %j",
    async (path) => {
      await expect(filled().call("read_file", { path })).rejects.toThrow(/outside the workspace/u);
    },
  );

  it("says plainly that a folder is none", async () => {
    await expect(filled().call("read_file", { path: "notes" })).rejects.toThrow(/"notes" is a folder/u);
    await expect(filled().call("read_file", { path: "." })).rejects.toThrow(/is a folder/u);
  });
});

describe("write_file", () => {
  it("makes a file and its folders, and leaves nothing else behind", async () => {
    const { call, root } = filled();
    expect(await call("write_file", { path: "x/y/new.md", content: "é" })).toBe(
      "Wrote 2 bytes to x/y/new.md.",
    );
    expect(readFileSync(join(root, "x/y/new.md"), "utf8")).toBe("é");
    expect(readdirSync(join(root, "x/y"))).toEqual(["new.md"]);
  });

  it("replaces what was there and keeps its mode", async () => {
    const { call, root } = filled();
    chmodSync(join(root, "notes/a.md"), 0o600);
    await call("write_file", { path: "link", content: "new" });
    expect(readFileSync(join(root, "notes/a.md"), "utf8")).toBe("new");
    expect(statSync(join(root, "notes/a.md")).mode & 0o777).toBe(0o600);
  });

  it("does not change a file outside that has a second name inside", async () => {
    const { call, root, outside } = filled();
    linkSync(join(outside, "secret"), join(root, "second"));
    await call("write_file", { path: "second", content: "new" });
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("do not tell");
  });

  it.each([["out/new"], ["../new"], ["."], ["notes"], [".countersign/state.db"]])(
    "does not write %j",
    async (path) => {
      const { call, outside } = filled();
      await expect(call("write_file", { path, content: "x" })).rejects.toThrow();
      expect(readdirSync(outside)).toEqual(["secret"]);
    },
  );
});

describe("move_file", () => {
  it("moves a file and a folder", async () => {
    const { call, root } = filled();
    await call("move_file", { from: "notes/a.md", to: "b/c.md" });
    expect(readFileSync(join(root, "b/c.md"), "utf8")).toBe("hello");
    expect(existsSync(join(root, "notes/a.md"))).toBe(false);
    await call("move_file", { from: "b", to: "notes/b" });
    expect(existsSync(join(root, "notes/b/c.md"))).toBe(true);
  });

  it("does not overwrite, and says what is taken", async () => {
    const { call, root } = filled();
    writeFileSync(join(root, "b.md"), "mine");
    await expect(call("move_file", { from: "notes/a.md", to: "b.md" })).rejects.toThrow(
      '"b.md" exists already.',
    );
    expect(readFileSync(join(root, "b.md"), "utf8")).toBe("mine");
    expect(existsSync(join(root, "notes/a.md"))).toBe(true);
  });

  it.each([
    ["notes/a.md", "out/a.md", /outside/u],
    ["out/secret", "a", /outside/u],
    ["link", "a", /is a link\. Name what it leads to: notes\/a\.md/u],
    ["gone", "a", /There is no "gone"/u],
    ["notes", "notes/inside", /./u],
  ])("does not move %j to %j", async (from, to, message) => {
    const { call, root, outside } = filled();
    await expect(call("move_file", { from, to })).rejects.toThrow(message);
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(readFileSync(join(root, "notes/a.md"), "utf8")).toBe("hello");
  });
});

describe("delete_file", () => {
  it("deletes a file and an empty folder", async () => {
    const { call, root } = filled();
    expect(await call("delete_file", { path: "notes/a.md" })).toBe("Deleted notes/a.md.");
    expect(await call("delete_file", { path: "notes/" })).toBe("Deleted the empty folder notes/.");
    expect(existsSync(join(root, "notes"))).toBe(false);
  });

  it.each([
    ["notes", /folder that is not empty/u],
    ["link", /is a link/u],
    ["out", /outside/u],
    ["out/secret", /outside/u],
    [".", /the workspace itself/u],
    ["gone", /There is no "gone"/u],
  ])("does not delete %j", async (path, message) => {
    const { call, root, outside } = filled();
    await expect(call("delete_file", { path })).rejects.toThrow(message);
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(readFileSync(join(root, "notes/a.md"), "utf8")).toBe("hello");
  });
});
