import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { definePolicy, lintPolicy, policyJsonSchema } from "../../src/policy/index.ts";
import { judgeCall, TOOLS } from "./support.ts";

const names = ["careful", "everyday", "headless"];
const bundled = TOOLS.filter(({ name }) => name !== "refund");

function read(file: string): unknown {
  const path = fileURLToPath(new URL(`../../graphs/policies/${file}`, import.meta.url));
  return JSON.parse(readFileSync(path, "utf8"));
}

function load(name: string) {
  return definePolicy(read(`${name}.json`), { tools: bundled });
}

describe("the named policies", () => {
  it.each(names)("%s parses and has nothing to lint", (name) => {
    expect(lintPolicy(load(name), bundled)).toEqual([]);
  });
  it.each(names)("%s forbids key files, whatever the tool calls the argument", (name) => {
    const paths = { path: "a/.env.local", from: ".env", to: "notes/.env" };
    const args = { ...paths };
    expect(judgeCall(load(name), "read_file", args, { paths }).tier).toBe("deny");
    expect(
      judgeCall(load(name), "move_file", { from: ".env", to: "x" }, { paths: { from: ".env", to: "x" } })
        .tier,
    ).toBe("deny");
    expect(
      judgeCall(load(name), "move_file", { from: "x", to: ".env" }, { paths: { from: "x", to: ".env" } })
        .tier,
    ).toBe("deny");
    expect(judgeCall(load(name), "read_file", { path: "link" }, { paths: { path: ".env" } }).tier).toBe(
      "deny",
    );
  });
  it.each(names)("%s reads without asking and asks before deleting", (name) => {
    const facts = { paths: { path: "notes/a.md" } };
    expect(judgeCall(load(name), "read_file", { path: "notes/a.md" }, facts).tier).toBe("auto");
    expect(judgeCall(load(name), "delete_file", { path: "notes/a.md" }, facts).tier).toBe("approve");
  });
  it("everyday lets safe shell lines and scratch files pass, and nothing that only looks like them", () => {
    const policy = load("everyday");
    expect(judgeCall(policy, "run_shell", { command: "git status && ls -la" }).tier).toBe("auto");
    expect(judgeCall(policy, "run_shell", { command: "git status; rm x" }).tier).toBe("approve");
    expect(judgeCall(policy, "run_shell", { command: "echo x > notes/a" }).tier).toBe("approve");
    const write = (path: string, resolved: string | null) =>
      judgeCall(policy, "write_file", { path, content: "" }, { paths: { path: resolved } }).tier;
    expect(write("scratch/a", "scratch/a")).toBe("suggest");
    expect(write("scratch/link", "notes/a")).toBe("approve");
    expect(write("scratch/../../x", null)).toBe("deny");
  });
  it("headless prompts nobody", () => {
    expect(judgeCall(load("headless"), "delete_file", { path: "a" }).mode).toBe("never");
  });
  it("stand beside the schema that this version publishes", () => {
    expect(read("policy.schema.json")).toEqual(policyJsonSchema());
  });
});
