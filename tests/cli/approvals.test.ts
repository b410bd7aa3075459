import { afterEach, describe, expect, it } from "vitest";
import { runCli, widest } from "./run-cli.ts";
import { sampleApproval } from "./sample-approval.ts";
import { startStub, type Answer, type Seen, type Stub } from "./stub-server.ts";

const id = sampleApproval().approval_id;
const stubs: Stub[] = [];

async function stubOf(answer: (seen: Seen) => Answer): Promise<Stub> {
  const stub = await startStub(answer);
  stubs.push(stub);
  return stub;
}

const cli = (stub: Stub, args: string[], env: Record<string, string> = {}) =>
  runCli(args, { env: { COUNTERSIGN_URL: stub.url, ...env } });

afterEach(async () => {
  await Promise.all(stubs.splice(0).map((stub) => stub.close()));
});

describe("approvals list", () => {
  const page = { approvals: [sampleApproval()], next_cursor: null };

  it("prints a table of what is pending, in 80 columns", async () => {
    const stub = await stubOf(() => ({ json: page }));
    const { code, stdout } = await cli(stub, ["approvals", "list"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ID +TOOL +TIER +TIME LEFT/);
    expect(stdout).toMatch(new RegExp(`${id}  delete_file  approve  23 h 59 min\n  {"path":"notes/old.md"}`));
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    expect(stub.seen[0]?.url).toBe("/approvals?status=pending&limit=100");
  });

  it("prints the server's page as JSON with --json", async () => {
    const stub = await stubOf(() => ({ json: page }));
    const { stdout } = await cli(stub, ["approvals", "list", "--json"]);
    expect(JSON.parse(stdout)).toEqual(page);
  });

  it("hands the filters and the token on", async () => {
    const stub = await stubOf(() => ({ json: { approvals: [], next_cursor: null } }));
    const args = ["--status", "all", "--thread", "t1", "--tool", "refund", "--limit", "5"];
    const { stdout } = await cli(stub, ["approvals", "list", ...args], { COUNTERSIGN_TOKEN: "secret" });
    expect(stdout).toBe("No approval matches.\n");
    expect(stub.seen[0]?.url).toBe("/approvals?status=all&thread_id=t1&tool=refund&limit=5");
    expect(stub.seen[0]?.headers.authorization).toBe("Bearer secret");
  });

  it("says so when nothing is pending", async () => {
    const stub = await stubOf(() => ({ json: { approvals: [], next_cursor: null } }));
    expect((await cli(stub, ["approvals", "list"])).stdout).toBe("Nothing is pending.\n");
  });

  it("does not let arguments act upon the terminal", async () => {
    const args = { path: "a\u001b[2J\u202egpj.exe", note: "\u200b\u00a0" };
    const stub = await stubOf(() => ({ json: { ...page, approvals: [sampleApproval({ args })] } }));
    const { stdout } = await cli(stub, ["approvals", "list"]);
    expect(stdout).toContain(String.raw`{"path":"a\u001b[2J\u202egpj.exe","note":"\u200b\u00a0"}`);
    expect(stdout).not.toMatch(/[\u001b\u202e\u200b\u00a0]/);
  });
});

describe("a question that nobody is told of, since people were asked enough", () => {
  const quiet = (at: number) => sampleApproval({ quiet_until: new Date(at).toISOString() });
  const later = quiet(Date.now() + 3_600_000);
  const before = quiet(Date.now() - 1_000);

  it("says until when, in the list and by itself", async () => {
    const page = { approvals: [later], next_cursor: null };
    const stub = await stubOf(({ url }) => ({ json: url.startsWith("/approvals?") ? page : later }));
    const listed = (await cli(stub, ["approvals", "list"])).stdout;
    expect(listed).toContain(`  quiet until ${later.quiet_until}: people were asked as much`);
    expect(widest(listed)).toBeLessThanOrEqual(80);
    const { stdout } = await cli(stub, ["approvals", "show", id]);
    expect(stdout).toMatch(new RegExp(`quiet +until ${later.quiet_until}: people were asked as much as`));
  });

  it("says nothing of it once the time is over", async () => {
    const page = { approvals: [before], next_cursor: null };
    const stub = await stubOf(({ url }) => ({ json: url.startsWith("/approvals?") ? page : before }));
    expect((await cli(stub, ["approvals", "list"])).stdout).not.toContain("quiet");
    expect((await cli(stub, ["approvals", "show", id])).stdout).not.toContain("quiet");
  });
});

describe("approvals show", () => {
  it("prints everything about an approval and tells the server that it was seen", async () => {
    const stub = await stubOf(() => ({ json: sampleApproval() }));
    const { stdout } = await cli(stub, ["approvals", "show", id]);
    for (const part of [
      /tool +delete_file/,
      /arguments +{"path":"notes\/old.md"}/,
      /tier +approve/,
      /rule +none/,
      /reason +No rule matches/,
      /time left +23 h 59 min/,
      /status +pending/,
      /thread +thread-1/,
    ]) {
      expect(stdout).toMatch(part);
    }
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    expect(stub.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET /approvals/${id}`,
      `POST /approvals/${id}/shown`,
    ]);
  });

  it("prints arguments of any length in full", async () => {
    const content = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    const stub = await stubOf(() => ({ json: sampleApproval({ args: { content } }) }));
    const { stdout } = await cli(stub, ["approvals", "show", id]);
    expect(stdout).toContain('"line 39"');
  });

  it("does not count as seen by a person with --json", async () => {
    const stub = await stubOf(() => ({ json: sampleApproval() }));
    const { stdout } = await cli(stub, ["approvals", "show", id, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ approval_id: id });
    expect(stub.seen).toHaveLength(1);
  });

  it("says who decided and what became of the call", async () => {
    const decision = {
      type: "reject" as const,
      message: "Keep it.",
      decided_by: { kind: "user" as const },
      decided_at: "2026-01-01T00:00:00.000Z",
    };
    const stub = await stubOf(() => ({ json: sampleApproval({ status: "rejected", decision }) }));
    const { stdout } = await cli(stub, ["approvals", "show", id]);
    expect(stdout).toMatch(/status +rejected by a user\nmessage +Keep it.\nexecution +nothing was run/);
  });
});

describe("an approval that several people of a group must give", () => {
  const vote = {
    type: "approve" as const,
    decided_by: { kind: "user" as const, id: "ann" },
    decided_at: "2026-01-01T00:00:00.000Z",
  };
  const approval = sampleApproval({
    ...{ quorum: 2, by: [["finance", "leads"]], reviewers: ["ann", "bob", "ola"], votes: [vote] },
    ...{ separate_duties: true, requested_by: "req", on_timeout: "escalate", escalated: 1 },
    escalate: [
      { group: "owners", reviewers: ["ola"] },
      { group: "board", reviewers: ["bea"] },
    ],
  });

  it("is listed with its votes, who may decide and where it has gone, in 80 columns", async () => {
    const stub = await stubOf(() => ({ json: { approvals: [approval], next_cursor: null } }));
    const { stdout } = await cli(stub, ["approvals", "list"]);
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "1 of 2 approved; somebody of finance or leads; or of owners; not req, who asked for it; " +
        "nobody answered in time; went to owners",
    );
    expect(widest(stdout)).toBeLessThanOrEqual(80);
  });

  it("is shown with who has approved, who may decide, and what happens when its time is up", async () => {
    const stub = await stubOf(() => ({ json: approval }));
    const { stdout } = await cli(stub, ["approvals", "show", id]);
    for (const line of [
      "votes      1 of 2 approved: ann",
      "who        somebody of finance or leads; or of owners",
      "           not req, who asked for it",
      "escalated  nobody answered in time; went to owners",
      "then       it goes to board",
    ])
      expect(stdout.split("\n")).toContain(line);
  });

  it("says nothing of people where anybody may decide alone", async () => {
    const stub = await stubOf(() => ({ json: sampleApproval() }));
    const { stdout } = await cli(stub, ["approvals", "show", id]);
    expect(stdout).not.toMatch(/^(votes|who|escalated|then) /m);
  });

  it("is told to wait for others after one of their approvals", async () => {
    const stub = await stubOf(() => ({ json: { approval, run_id: "run-1", resumed: false } }));
    const { stdout } = await cli(stub, ["approvals", "approve", id]);
    expect(stdout).toBe("delete_file is pending: 1 of 2 approved. Others have to approve it, too.\n");
  });
});

describe("decisions", () => {
  const decided = (changes: Parameters<typeof sampleApproval>[0]) => ({
    json: { approval: sampleApproval(changes), run_id: "run-1", resumed: true },
  });

  it.each([
    { args: ["approve", id], body: { type: "approve" }, status: "approved" as const },
    {
      args: ["edit", id, "--args", '{"path":"notes/older.md"}', "--reason", "wrong file"],
      body: { type: "edit", args: { path: "notes/older.md" }, reason: "wrong file" },
      status: "edited" as const,
    },
    {
      args: ["reject", id, "--message", "Keep it."],
      body: { type: "reject", message: "Keep it." },
      status: "rejected" as const,
    },
    {
      args: ["respond", id, "--message", "It is gone."],
      body: { type: "respond", message: "It is gone." },
      status: "responded" as const,
    },
  ])("posts $body and says what it did", async ({ args, body, status }) => {
    const stub = await stubOf(() => decided({ status }));
    const { code, stdout } = await cli(stub, ["approvals", ...args]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `delete_file is ${status}. The run goes on.\n` });
    expect(stub.seen[0]).toMatchObject({ method: "POST", url: `/approvals/${id}/decision`, body });
  });

  it("names the next approval when an edit needs one of its own", async () => {
    const stub = await stubOf(() => decided({ status: "edited", next_approval_id: "apr_next" }));
    const { stdout } = await cli(stub, ["approvals", "edit", id, "--args", "{}"]);
    expect(stdout).toContain("apr_next");
  });

  it("does not send an edit that is no JSON object", async () => {
    const stub = await stubOf(() => decided({}));
    const { code, stderr } = await cli(stub, ["approvals", "edit", id, "--args", "[1]"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^--args must be a JSON object/);
    expect(stub.seen).toEqual([]);
  });

  it("withdraws a question", async () => {
    const stub = await stubOf(() => decided({ status: "cancelled" }));
    const { stdout } = await cli(stub, ["approvals", "withdraw", id]);
    expect(stdout).toBe("delete_file is cancelled.\n");
    expect(stub.seen[0]).toMatchObject({ method: "DELETE", url: `/approvals/${id}` });
  });
});

describe("refusals", () => {
  const problem = {
    title: "Already decided",
    status: 409,
    code: "already_decided",
    detail: "This approval is rejected already. That stands.",
    approval: sampleApproval({ status: "rejected" }),
  };

  it("tells the server's refusal in one line and exits with 1", async () => {
    const stub = await stubOf(() => ({ status: 409, json: problem }));
    expect(await cli(stub, ["approvals", "approve", id])).toEqual({
      code: 1,
      stdout: "",
      stderr: "This approval is rejected already. That stands.\n",
    });
  });

  it("prints the server's problem as JSON on standard error with --json", async () => {
    const stub = await stubOf(() => ({ status: 409, json: problem }));
    const { code, stdout, stderr } = await cli(stub, ["approvals", "approve", id, "--json"]);
    expect({ code, stdout, problem: JSON.parse(stderr) as unknown }).toEqual({
      code: 1,
      stdout: "",
      problem,
    });
  });

  it("names the fields that the server found wrong", async () => {
    const errors = [{ path: "args.path", message: "must be string" }];
    const json = { code: "invalid_decision", detail: "The edited arguments do not fit.", errors };
    const stub = await stubOf(() => ({ status: 422, json }));
    const { stderr } = await cli(stub, ["approvals", "edit", id, "--args", '{"path":1}']);
    expect(stderr).toBe('The edited arguments do not fit. "args.path": must be string\n');
  });

  it("does not let the server's words act upon the terminal", async () => {
    const stub = await stubOf(() => ({ status: 409, json: { code: "x", detail: "a\u001b[2Jb" } }));
    expect((await cli(stub, ["approvals", "list"])).stderr).toBe("a\\u{1b}[2Jb\n");
  });

  it("says how to start a server when none answers", async () => {
    const stub = await stubOf(() => ({ json: {} }));
    await stub.close();
    const { code, stderr } = await cli(stub, ["approvals", "list"]);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `No server answers at ${stub.url}. Start one with "countersign serve", or set COUNTERSIGN_URL.\n`,
    );
  });

  it("asks for a token when the server wants one", async () => {
    const stub = await stubOf(() => ({ status: 401, text: "no" }));
    expect((await cli(stub, ["approvals", "list"])).stderr).toMatch(
      /wants a token\.\s+Set\s+COUNTERSIGN_TOKEN/,
    );
  });

  it("says so when something else answers", async () => {
    const stub = await stubOf(() => ({ text: "<html>" }));
    expect((await cli(stub, ["approvals", "list"])).stderr).toMatch(
      /answered with something that is no JSON/,
    );
  });
});
