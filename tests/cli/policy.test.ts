import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { policyJsonSchema } from "../../src/policy/index.ts";
import { runCli, widest } from "./run-cli.ts";
import { startStub } from "./stub-server.ts";

let folder = "";
const file = async (name: string, content: unknown): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-cli-policy-"));
});
afterAll(() => rm(folder, { recursive: true }));

const call = (tool: string, args: unknown) => ["--tool", tool, "--args", JSON.stringify(args)];

describe("policy check", () => {
  it("says tier, rules and why by the everyday policy, without a server", async () => {
    const { code, stdout } = await runCli([
      "policy",
      "check",
      ...call("write_file", { path: "scratch/a.txt" }),
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^tier +suggest\nrules +scratch\nwhy +Rule "scratch"/);
    expect(stdout).toContain("the everyday policy of this package");
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });

  it("does not take a path for inside that walks out", async () => {
    const args = call("write_file", { path: "scratch/../x" });
    const { stdout } = await runCli(["policy", "check", ...args, "--risk", "approve", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: { tier: "approve", rules: [] } });
  });

  it("notes that automatic reviewers are registered elsewhere", async () => {
    const policy = await file("reviewed.json", { version: 1, reviewers: [{ use: "careful" }] });
    const { stdout } = await runCli(["policy", "check", ...call("refund", {}), "--policy", policy, "--json"]);
    const { notes } = JSON.parse(stdout) as { notes: string[] };
    expect(notes.filter((note) => note.includes('"careful"'))).toHaveLength(1);
  });

  it("judges by another policy and the risk that is named", async () => {
    const policy = await file("own.json", {
      version: 1,
      rules: [{ id: "r", tools: ["refund"], tier: "deny" }],
    });
    const check = (tool: string) =>
      runCli(["policy", "check", ...call(tool, {}), "--policy", policy, "--risk", "auto", "--json"]);
    expect(JSON.parse((await check("refund")).stdout)).toMatchObject({
      verdict: { tier: "deny", rules: ["r"] },
    });
    expect(JSON.parse((await check("other")).stdout)).toMatchObject({ verdict: { tier: "auto", rules: [] } });
  });

  it("asks the server with --graph", async () => {
    const verdict = { tier: "approve", rules: [], why: "Because." };
    const stub = await startStub(() => ({ json: { verdict } }));
    const { stdout } = await runCli(["policy", "check", ...call("t", { a: 1 }), "--graph", "agent"], {
      env: { COUNTERSIGN_URL: stub.url },
    });
    await stub.close();
    expect(stub.seen[0]).toMatchObject({
      method: "POST",
      url: "/policies/check",
      body: { tool: "t", args: { a: 1 }, graph_id: "agent" },
    });
    expect(stdout).toMatch(/^tier +approve\nrules +none\nwhy +Because.\npolicy +that of agent at http/);
  });

  it("says what would come of it now, as the server knows", async () => {
    const verdict = { tier: "approve", rules: [], why: "Because." };
    const question = {
      ...{ reason: "Because.", description: "Deletes a.", allowed_decisions: ["approve", "reject"] },
      ...{ require_reason: [], timeout: "2h", on_timeout: "escalate", escalate: ["leads"], quorum: 2 },
      ...{ by: [["finance"]], separate_duties: false, remember: null, quiet_until: null, automatic: [] },
    };
    const outlook = { will: "ask", by: { kind: "people", id: null }, why: "Because.", question };
    const stub = await startStub(() => ({ json: { verdict, outlook } }));
    const asked = (command: string) =>
      runCli(["policy", command, ...call("t", {}), "--thread", "t1"], {
        env: { COUNTERSIGN_URL: stub.url },
      });
    const [{ stdout }, explained] = [await asked("check"), await asked("explain")];
    await stub.close();
    expect(stub.seen[0]?.body).toEqual({ tool: "t", args: {}, thread_id: "t1" });
    expect(stdout).toContain(
      "now        ask, by people\nquestion   Deletes a.\nanswers    approve, reject\n",
    );
    expect(stdout).toContain("asked      finance, 2 of them; after 2h: goes to leads");
    expect(explained.stdout).toContain("Now it would be asked about: Because.");
  });

  it("takes a policy of this package by its name", async () => {
    const args = call("write_file", { path: "scratch/a.txt" });
    const { stdout } = await runCli(["policy", "check", ...args, "--policy", "careful", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: { tier: "approve" },
      policy: "the careful policy of this package",
    });
  });

  it("names lint when a policy has more than one fault, and not when it has one", async () => {
    const two = await file("two.json", { version: 2, mode: "never!" });
    const one = await file("one.json", { version: 2 });
    const check = (policy: string) => runCli(["policy", "check", ...call("t", {}), "--policy", policy]);
    expect((await check(two)).stderr).toContain(`Run "countersign policy lint ${two}" for all of them.`);
    const { code, stderr } = await check(one);
    expect(code).toBe(1);
    expect(stderr).not.toContain("policy lint");
  });

  it("refuses a risk that is no tier", async () => {
    const { code, stderr } = await runCli(["policy", "check", ...call("t", {}), "--risk", "high"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^--risk is "high"/);
  });
});

describe("policy explain", () => {
  it("explains a denial and names the rules that do not match", async () => {
    const args = ["policy", "explain", ...call("write_file", { path: ".env" }), "--risk", "approve"];
    const { code, stdout } = await runCli(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^write_file: deny\. /);
    expect(stdout).toContain("Key files are off limits.");
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });
});

describe("policy lint", () => {
  it("finds nothing wrong with a good file", async () => {
    const good = await file("good.json", { version: 1 });
    const { code, stdout } = await runCli(["policy", "lint", good, "--json"]);
    expect({ code, result: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      result: { ok: true, file: good, findings: [] },
    });
  });

  it("names path and sentence of every error and exits with 1", async () => {
    const bad = await file("bad.json", {
      version: 1,
      rules: [{ id: "a", tools: ["x"], tier: "aprove" }],
      review: { timeout: "15x" },
    });
    const { code, stdout } = await runCli(["policy", "lint", bad]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/error: rules\[0\]\.tier: "aprove" is not one of/);
    expect(stdout).toMatch(/error: review\.timeout: "15x" is no duration/);
    expect(stdout).toMatch(/2 errors, 0 warnings/);
  });

  it("warns of rules that relax too much when it is told the risk, and not otherwise", async () => {
    const rules = [
      { id: "all", tools: ["delete_*"], tier: "auto" },
      { id: "shell", tools: ["run_shell"], tier: "auto" },
      { id: "other", tools: ["elsewhere"], tier: "deny" },
    ];
    const path = await file("relaxing.json", { version: 1, rules });
    const risks = ["--risk", "delete_file=approve", "--risk", "run_shell=approve"];
    const told = await runCli(["policy", "lint", path, ...risks, "--json"]);
    expect(told.code).toBe(0);
    expect(JSON.parse(told.stdout)).toMatchObject({
      findings: [
        { code: "glob_relaxes_declared", path: "rules[0].tools" },
        { code: "relaxed_destructive", path: "rules[1].tier" },
      ],
    });
    const untold = await runCli(["policy", "lint", path]);
    expect(untold.stdout).toContain("nothing found");
    expect(untold.stdout).toContain("--risk TOOL=TIER");
  });

  it("does not fail on warnings", async () => {
    const rule = { id: "a", tools: ["run_shell"], when: { command: { shell: ["rm *"] } }, tier: "deny" };
    const warned = await file("warned.json", { version: 1, rules: [rule] });
    const { code, stdout } = await runCli(["policy", "lint", warned]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^warning: rules\[0\]\.when: /);
  });

  it("names the rules that counted for no call of a server", async () => {
    const stub = await startStub(() => ({ json: { rules: [{ id: "a", calls: 3 }] } }));
    const rules = ["a", "b"].map((id) => ({ id, tools: [`${id}_tool`], tier: "deny" }));
    const path = await file("used.json", { version: 1, rules });
    const { stdout } = await runCli(["policy", "lint", path, "--used", "30d"], {
      env: { COUNTERSIGN_URL: stub.url },
    });
    await stub.close();
    expect(stub.seen.map(({ url }) => url)).toEqual(["/fatigue?last=30d"]);
    expect(stdout).toMatch(/^warning: rules\[1\]: rule "b" counted for no call at http/);
    expect(stdout).toContain("0 errors, 1 warning.");
  });

  it.each([
    { name: "none.json", content: undefined, says: /none\.json cannot be read/ },
    { name: "broken.json", content: "{", says: /broken\.json is not valid JSON/ },
    { name: "comma.json", content: '{\n  "version": 1,\n}', says: /line 3,? column 1\b/ },
  ])("says in one line that $name cannot be read", async ({ name, content, says }) => {
    const path = content === undefined ? join(folder, name) : await file(name, content);
    const { code, stderr } = await runCli(["policy", "lint", path]);
    expect(code).toBe(1);
    expect(stderr).toMatch(says);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("policy schema", () => {
  it("prints the JSON Schema of a policy", async () => {
    const { code, stdout } = await runCli(["policy", "schema"]);
    expect({ code, schema: JSON.parse(stdout) as unknown }).toEqual({ code: 0, schema: policyJsonSchema() });
  });
});
