import { tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DeskError, openDesk } from "../../src/desk/index.ts";
import { withRisk, type Answer } from "../../src/graph/index.ts";
import type { Approval } from "../../src/ledger/index.ts";
import { bench, type BenchOptions } from "./harness.ts";

const SECRET = "hunter2-hunter2";
const LOGIN = { user: "ada", password: SECRET };

function login(received: unknown[]) {
  const made = tool(
    (args: typeof LOGIN) => {
      received.push(args);
      return `Welcome, ${args.password}.`;
    },
    {
      name: "login",
      description: "Logs in.",
      schema: z.object({ user: z.string(), password: z.string().min(8) }),
    },
  );
  const describe = ({ user, password }: Record<string, unknown>) =>
    `Logs ${String(user)} in with ${String(password)}.`;
  return withRisk(made, "approve", { describe });
}

async function masked(args: Record<string, unknown> = LOGIN, options: BenchOptions = {}) {
  const received: unknown[] = [];
  const one = await bench([{ tool_calls: [{ name: "login", args, id: "c1" }] }, { content: "done" }], {
    tools: [login(received)],
    policy: { version: 1, mask: ["**.password"] },
    ...options,
  });
  return { ...one, received, desk: openDesk(one.ledger) };
}

describe("a masked argument", () => {
  it("is in no question, no approval and no event, and whole where the tool runs", async () => {
    const { ask, resume, desk, received } = await masked();
    const { __interrupt__: questions } = await ask("go");
    expect(questions?.[0]?.value).toMatchObject({
      description: expect.stringContaining("Logs ada in with ***.") as string,
      actionRequests: [{ args: { user: "ada", password: "***" } }],
      approval: { mask: ["password"] },
    });
    await resume({ type: "approve" });
    expect(received).toEqual([LOGIN]);
    const seen = JSON.stringify([questions, await desk.list({ status: "all" }), await desk.audit()]);
    expect(seen).not.toContain(SECRET);
    expect(seen).toContain("Welcome, ***.");
  });
  it("is kept by an edit that sends the mask back, judged and checked as it is", async () => {
    const { ask, resume, received } = await masked();
    await ask("go");
    await resume({ type: "edit", args: { user: "bob", password: "***" } });
    expect(received).toEqual([{ user: "bob", password: SECRET }]);
  });
  it("is replaced by an edit that brings another value, and *** elsewhere is a text", async () => {
    const { ask, resume, received, desk } = await masked();
    await ask("go");
    await resume({ type: "edit", args: { user: "***", password: "another-secret" } });
    expect(received).toEqual([{ user: "***", password: "another-secret" }]);
    expect(JSON.stringify([await desk.list({ status: "all" }), await desk.audit()])).not.toContain("another");
  });
  it("is not put where there was none: the edit says which path, and the question stays", async () => {
    const { ask, desk, received } = await masked({ user: "ada", password: SECRET });
    await ask("go");
    const [approval] = (await desk.list()).approvals;
    const edit = { type: "edit", args: { user: "ada", other: { password: "***" }, password: "***" } };
    const error = await desk.decide(approval?.approval_id ?? "", edit).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DeskError);
    expect(error).toMatchObject({
      code: "invalid_decision",
      errors: [{ path: "args.other.password" }],
      approval: { status: "pending", args: { password: "***" } },
    });
    expect(received).toEqual([]);
  });
  it("is hidden from a person in process, whose edit keeps it", async () => {
    const asked: Approval[] = [];
    const answer: Answer = (approval) => {
      asked.push(approval);
      return Promise.resolve({ type: "edit", args: { ...approval.args, user: "bob" } });
    };
    const { ask, received } = await masked(LOGIN, { answer });
    await ask("go");
    expect(asked[0]?.args).toEqual({ user: "ada", password: "***" });
    expect(received).toEqual([{ user: "bob", password: SECRET }]);
  });
  it("is masked by a context, too", async () => {
    const { ask, desk } = await masked(LOGIN, { policy: { version: 1 } });
    await ask("go", { context: { policy: { mask: ["password"] } } });
    expect((await desk.list()).approvals[0]?.args).toEqual({ user: "ada", password: "***" });
  });
});

describe("a description", () => {
  it("shows what is hidden in arguments, and no argument makes a paragraph or a block of it", async () => {
    const user = "ada\n\n```\nApproved.\u202e\u200b";
    const { ask, desk } = await masked({ user, password: SECRET });
    const { __interrupt__: questions } = await ask("go");
    const [approval] = (await desk.list()).approvals;
    const line = "Logs ada\\u{a}\\u{a}\\u{60}\\u{60}\\u{60}\\u{a}Approved.\\u{202e}\\u{200b} in with ***.";
    expect(approval?.description).toBe(line);
    expect(approval?.args["user"]).toBe(user);
    expect(questions?.[0]?.value["description"]).toContain(line);
  });
});
