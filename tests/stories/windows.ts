import { expect } from "vitest";
import type { Approval } from "../../src/ledger/index.ts";
import { listOf, textOf, type Answer } from "./http.ts";
import type { Server } from "./story.ts";
import { until } from "./until.ts";

/** What a client does once it was asked; it asks for a deletion in each. */
export type Deed =
  "nothing" | "approve" | "reject" | "edit" | "withdraw" | "cancel" | "delete" | "answer an outcome";

/** Where a process is killed: at a moment at which it stands still, or, where it is doomed, around a statement. */
export interface Window {
  deed: Deed;
  at: string;
  isDoomed?: true;
}

export function at(deed: Deed, ...moments: string[]): Window[] {
  return moments.map((moment) => ({ deed, at: moment }));
}
export function doomed(deed: Deed, ...moments: string[]): Window[] {
  return moments.map((moment) => ({ deed, at: moment, isDoomed: true }));
}

/** Every third one, so that all deeds are there; `STORY_WINDOWS=all` takes all of them, as `npm run soak` does. */
export function chosen<One>(windows: readonly One[]): One[] {
  return windows.filter((_, n) => process.env["STORY_WINDOWS"] === "all" || n % 3 === 0);
}

/** Begins a run. The process may be killed before there is an answer. */
export const run = (server: Server, thread_id: string, text: string): Promise<Answer | undefined> =>
  server
    .post(`/threads/${thread_id}/runs/wait`, {
      assistant_id: "agent",
      input: { messages: [{ role: "user", content: text }] },
    })
    .catch(() => undefined);

/** Sends what the client does. The process may be killed before there is an answer. */
export async function act(
  server: Server,
  deed: Deed,
  { thread_id, approval_id, text }: { thread_id: string; approval_id: string; text: string },
): Promise<void> {
  const decide = (decision: object): Promise<Answer> =>
    server.post(`/approvals/${approval_id}/decision`, decision);
  const deeds: Record<Deed, () => Promise<unknown>> = {
    nothing: () => Promise.resolve(),
    approve: () => decide({ type: "approve" }),
    reject: () => decide({ type: "reject", message: "no" }),
    edit: () => decide({ type: "edit", args: { path: `vault-${text}` } }),
    withdraw: () => server.delete(`/approvals/${approval_id}`),
    async cancel() {
      const { body } = await server.get(`/threads/${thread_id}/runs`);
      return server.post(`/threads/${thread_id}/runs/${textOf(listOf(body)[0]!["run_id"])}/cancel`, {});
    },
    delete: () => server.delete(`/threads/${thread_id}`),
    "answer an outcome": () => decide({ type: "respond", message: "it is deleted" }),
  };
  await deeds[deed]().catch(() => undefined);
}

/** Answers whatever is open until the thread has come to rest. Nothing is ever told to run a second time. */
export async function finish(server: Server, thread_id: string, seen: Set<string>): Promise<void> {
  await until(async () => {
    for (const { approval_id, kind } of await server.approvals({ thread_id })) {
      seen.add(approval_id);
      const decision = kind === "outcome" ? { type: "respond", message: "done" } : { type: "approve" };
      const { status } = await server.post(`/approvals/${approval_id}/decision`, decision);
      expect([200, 409, 410]).toContain(status);
    }
    const { status, body } = await server.get(`/threads/${thread_id}`);
    return status === 404 || textOf(body["status"]) === "idle";
  }, "the thread was at rest");
}

/** What there was before the kill, and what tools did by now. */
export interface Left {
  thread_id: string;
  text: string;
  deed: Deed;
  seen: ReadonlySet<string>;
  effects: readonly string[];
}

/** No second effect, no lost approval, no thread that stays busy, and a chain that holds. */
export async function expectWhole(
  server: Server,
  { thread_id, text, deed, seen, effects }: Left,
): Promise<void> {
  const done = effects.filter((line) => line.endsWith(text));
  expect(done.length).toBeLessThanOrEqual(1);
  const approvals = await server.approvals({ thread_id, status: "all" });
  const isGone = (await server.get(`/threads/${thread_id}`)).status === 404;
  if (isGone) expect(deed).toBe("delete");
  for (const approval_id of seen) {
    // A deleted thread's approvals are erased with it, and known as such.
    if (isGone) expect((await server.get(`/approvals/${approval_id}`)).status).toBe(410);
    else expect(approvals.map((one) => one.approval_id)).toContain(approval_id);
  }
  expect(approvals.filter(({ status }) => status === "pending")).toEqual([]);
  if (done.length === 1) expect(approvals.some(hasAllowed), "an effect that somebody approved").toBe(true);
  if (!isGone && ["cancel", "delete"].includes(deed)) await expectLeft(server, thread_id, done);
  if (!isGone) await expectAnswered(server, thread_id, approvals);
  const { body } = await server.get(`/audit?thread_id=${thread_id}&limit=10000`);
  const types = listOf(body["events"]).map((event) => textOf(event["type"]));
  const count = (type: string): number => types.filter((one) => one === type).length;
  expect(count("tool_result")).toBe(count("tool_call_started"));
  expect(count("run_stopped")).toBe(count("run_started"));
  expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true, broken: [] });
}

/** What was cancelled, or half deleted, was not done. It leaves its call to whoever comes next, who is answered. */
async function expectLeft(server: Server, thread_id: string, done: readonly string[]): Promise<void> {
  if ((await server.messages(thread_id)).length !== 2) return;
  expect(done).toEqual([]);
  expect((await run(server, thread_id, "more"))?.status).toBe(200);
  expect(await server.messages(thread_id)).toHaveLength(5);
}

const hasAllowed = ({ status, kind }: Approval): boolean => kind === "call" && status === "approved";

/** Each call that the model made has one tool message, and the model has said its last word, unless nothing was begun. */
async function expectAnswered(
  server: Server,
  thread_id: string,
  approvals: readonly Approval[],
): Promise<void> {
  const types = (await server.messages(thread_id)).map((message) => message.split(":", 1)[0]);
  if (types.length === 0) return expect(approvals).toEqual([]);
  const more = types.length === 5 ? ["human"] : [];
  expect(types).toEqual(["human", "ai", "tool", ...more, "ai"]);
}
