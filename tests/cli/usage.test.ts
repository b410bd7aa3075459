import { describe, expect, it } from "vitest";
import { runCli, widest } from "./run-cli.ts";

const commands = [
  "chat",
  "serve",
  ...["list", "show", "approve", "edit", "reject", "respond", "withdraw"].map((name) => `approvals ${name}`),
  ...["check", "explain", "lint", "schema"].map((name) => `policy ${name}`),
  ...["verify", "export"].map((name) => `audit ${name}`),
  ...["create", "list", "revoke"].map((name) => `token ${name}`),
].map((name) => ({ name }));

describe("the command line", () => {
  it.each(commands)("explains $name in 80 columns, with --json among its options", async ({ name }) => {
    const { code, stdout } = await runCli([...name.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--json");
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });

  it("lists its commands and settings", async () => {
    const { code, stdout } = await runCli(["--help"]);
    expect(code).toBe(0);
    for (const word of [
      "chat",
      "serve",
      "approvals",
      "policy",
      "audit",
      "COUNTERSIGN_URL",
      "COUNTERSIGN_POLICY",
    ]) {
      expect(stdout).toContain(word);
    }
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });

  it.each([
    { args: ["nope"], says: "Unknown command 'nope'." },
    { args: ["approvals", "show"], says: "Missing required argument 'id'." },
    { args: ["approvals", "list", "--limt", "3"], says: "Did you mean --limit?" },
    {
      args: ["approvals", "list", "--limit", "0"],
      says: '--limit is "0"; give a whole number from 1 to 1000.',
    },
    { args: ["approvals", "list", "--status", "gone"], says: "Allowed choices are pending, approved," },
    { args: ["policy", "check", "--tool", "x"], says: "Required option '--args <json>' not specified." },
    { args: ["policy", "check", "--tool", "x", "--args", "{"], says: "--args is not valid JSON" },
    { args: ["policy", "schema", "x"], says: "Expected 0 arguments but got 1. " },
    { args: ["policy", "lint", "everyday", "--risk", "rm"], says: '--risk is "rm"; give TOOL=TIER' },
    { args: ["serve", "--port", "70000"], says: '--port is "70000"' },
  ])("answers $args with one line and exit code 2", async ({ args, says }) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(says);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("puts a usage error into JSON with --json", async () => {
    const { code, stderr } = await runCli(["approvals", "show", "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ code: "usage" });
  });

  it("refuses an address that is none", async () => {
    const { code, stderr } = await runCli(["approvals", "list"], { env: { COUNTERSIGN_URL: "localhost" } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^COUNTERSIGN_URL is "localhost"/);
  });
});
