import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, type Interrupt } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startDevServer, type DevServer } from "./dev-server.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

interface Message {
  type: string;
  content: string;
  tool_call_id?: string;
}

interface Pending {
  approval_id: string;
  args: { path: string };
}

let server: DevServer;
let client: Client;

beforeAll(async () => {
  server = await startDevServer();
  client = new Client({ apiUrl: server.url });
});
afterAll(() => server.stop());

/** A thread on which the bundled agent was told to delete files that are there. */
async function askToDelete(...names: string[]): Promise<string> {
  mkdirSync(join(server.workspace, "notes"), { recursive: true });
  for (const name of names) writeFileSync(join(server.workspace, name), "x");
  const { thread_id } = await client.threads.create();
  const content = names.map((name) => `delete ${name}`).join(" and ");
  await client.runs.wait(thread_id, "agent", { input: { messages: [{ role: "user", content }] } });
  return thread_id;
}

async function openOn(thread_id: string): Promise<{ status: string; interrupts: Interrupt[] }> {
  const { status, interrupts } = await client.threads.get(thread_id);
  return { status, interrupts: Object.values(interrupts).flat() };
}

const answer = (thread_id: string, resume: unknown): Promise<unknown> =>
  client.runs.wait(thread_id, "agent", { command: { resume } });
const isThere = (name: string): boolean => existsSync(join(server.workspace, name));
const approvalOf = ({ value }: Interrupt): { approval_id: string; refused?: string } =>
  (value as { approval: { approval_id: string; refused?: string } }).approval;

describe("under langgraphjs dev, the bundled agent", () => {
  it("shows its question and runs the tool after a bare approval", async () => {
    const thread_id = await askToDelete("notes/a.md");
    const { status, interrupts } = await openOn(thread_id);
    expect(status).toBe("interrupted");
    expect(interrupts).toHaveLength(1);
    expect(interrupts[0]?.value).toMatchObject({
      type: "approval_request",
      action_request: { action: "delete_file", args: { path: "notes/a.md" } },
    });
    expect(isThere("notes/a.md")).toBe(true);
    await answer(thread_id, { type: "approve" });
    expect(isThere("notes/a.md")).toBe(false);
    expect((await openOn(thread_id)).status).toBe("idle");
  });

  it("refuses bad answers, stays interrupted and never uses one later", async () => {
    const names = ["notes/b.md", "notes/c.md", "notes/d.md"];
    const thread_id = await askToDelete(...names);
    const before = await openOn(thread_id);
    expect(before.interrupts).toHaveLength(3);
    const first = before.interrupts[0]?.id ?? "";
    const bad: unknown[] = [
      ...[{ type: "approve" }, [{ type: "accept", args: null }], { decisions: [{ type: "approve" }] }],
      ...[{ ["0".repeat(32)]: { type: "approve" } }, {}, { [first]: { type: "approve" }, stray: 1 }],
      ...[false, 0, "", "approve", [], { type: "destroy" }, { [first]: { type: "destroy" } }],
    ];
    for (const one of bad) {
      await answer(thread_id, one).catch(() => undefined);
      const after = await openOn(thread_id);
      expect(after.status, JSON.stringify(one)).toBe("interrupted");
      expect(after.interrupts.map(({ id }) => id).sort(), JSON.stringify(one)).toEqual(
        before.interrupts.map(({ id }) => id).sort(),
      );
    }
    expect(names.filter(isThere)).toEqual(names);
    const byName = new Map(
      before.interrupts.map((one) => [
        (one.value as { action_request: { args: { path: string } } }).action_request.args.path,
        one,
      ]),
    );
    const [b, c, d] = names.map((name) => byName.get(name)) as [Interrupt, Interrupt, Interrupt];
    await answer(thread_id, { [b.id ?? ""]: { type: "reject", message: "keep it" } });
    expect(names.filter(isThere)).toEqual(names);
    await answer(thread_id, {
      [approvalOf(c).approval_id]: { type: "approve" },
      [d.id ?? ""]: { type: "reject" },
    });
    expect(names.filter(isThere)).toEqual(["notes/b.md", "notes/d.md"]);
    expect((await openOn(thread_id)).status).toBe("idle");
    const { messages } = (await client.threads.getState(thread_id)).values as { messages: Message[] };
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "tool", "tool", "ai"]);
  });

  it("says in the question why an answer was not taken", async () => {
    const thread_id = await askToDelete("notes/e.md");
    await answer(thread_id, { type: "edit", args: { path: 7 } });
    const { status, interrupts } = await openOn(thread_id);
    expect(status).toBe("interrupted");
    expect(approvalOf(interrupts[0] as Interrupt).refused).toContain("path");
    await answer(thread_id, { type: "reject" });
    expect(isThere("notes/e.md")).toBe(true);
  });
});

describe("the routes that are mounted in langgraphjs dev", () => {
  const decide = (approval_id: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/approvals/${approval_id}/decision?wait=60`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const pendingOn = async (thread_id: string): Promise<Pending[]> => {
    const answer = await fetch(`${server.url}/approvals?thread_id=${thread_id}`);
    return ((await answer.json()) as { approvals: Pending[] }).approvals;
  };

  it("decide, and resume the thread through the server that runs it", async () => {
    const names = ["notes/f.md", "notes/g.md"];
    const thread_id = await askToDelete(...names);
    const pending = await pendingOn(thread_id);
    expect(pending.map(({ args }) => args.path).sort()).toEqual(names);
    const [f, g] = names.map((name) => pending.find(({ args }) => args.path === name)!);
    const approved = await decide(f!.approval_id, { type: "approve" });
    expect([approved.status, await approved.json()]).toMatchObject([
      200,
      { resumed: true, approval: { status: "approved", execution: { state: "succeeded" } } },
    ]);
    expect(names.filter(isThere)).toEqual(["notes/g.md"]);
    expect((await openOn(thread_id)).status).toBe("interrupted");
    expect((await decide(g!.approval_id, { type: "reject", message: "keep it" })).status).toBe(200);
    expect((await openOn(thread_id)).status).toBe("idle");
    expect(names.filter(isThere)).toEqual(["notes/g.md"]);
    const { messages } = (await client.threads.getState(thread_id)).values as { messages: Message[] };
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "tool", "ai"]);
  });

  it("let no foreign page decide", async () => {
    const thread_id = await askToDelete("notes/h.md");
    const [approval] = await pendingOn(thread_id);
    const origin = "https://evil.example";
    const refused = await decide(approval!.approval_id, { type: "approve" }, { origin });
    expect(refused.status).toBe(403);
    expect(refused.headers.get("access-control-allow-origin")).toBeNull();
    expect((await openOn(thread_id)).status).toBe("interrupted");
    expect(isThere("notes/h.md")).toBe(true);
  });

  it("end a question whose time is up, and let the run go on", async () => {
    mkdirSync(join(server.workspace, "notes"), { recursive: true });
    writeFileSync(join(server.workspace, "notes/i.md"), "x");
    const { thread_id } = await client.threads.create();
    const input = { messages: [{ role: "user", content: "delete notes/i.md" }] };
    const context = { policy: { review: { timeout: "2s" } } };
    await client.runs.wait(thread_id, "agent", { input, context });
    await vi.waitUntil(async () => (await openOn(thread_id)).status === "idle", {
      timeout: 30_000,
      interval: 200,
    });
    expect(isThere("notes/i.md")).toBe(true);
    const { messages } = (await client.threads.getState(thread_id)).values as { messages: Message[] };
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
  });
});
