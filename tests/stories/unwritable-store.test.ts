import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cli, newFolder } from "./story.ts";

it("does not serve a store under what is no folder, and says so in one line", () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, "notes"), "A file.");
  const args = [cli, "serve", "--port", "0", "--store", "file:notes/state.db"];
  const env = { PATH: process.env["PATH"] ?? "" };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^[^\n]*notes\/state\.db[^\n]*\bpath\b[^\n]*\n$/);
});
