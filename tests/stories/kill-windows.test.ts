import { beforeAll, expect, it } from "vitest";
import type { Approval } from "../../src/ledger/index.ts";
import { listOf, textOf, type Answer } from "./http.ts";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";

/*
 * One file that is served by one process after the other. Each is killed at a named step between a request and its end,
 * and the next one has to bring to an end what was under way.
 */

/** What a client does once it was asked; it asks for a deletion in each. */
type Deed =
  "nothing" | "approve" | "reject" | "edit" | "withdraw" | "cancel" | "delete" | "answer an outcome";

/** Where a process is killed: `doomed` windows are statements, others are moments at which it stands still. */
const WINDOWS: { deed: Deed; at: string; isDoomed?: true }[] = [
  ...at("nothing", "before run_started", "after run_started", "model 0"),
  ...doomed("nothing", "before the run's row", "after the run's row"),
  ...at("nothing", "before the ai message", "after the ai message"),
  ...at("nothing", "before tool_call_started", "before approval_requested", "after approval_requested"),
  ...at("nothing", "before the interrupt", "after the interrupt", "before run_stopped", "after run_stopped"),
  ...at("approve", "before approval_resolved", "after approval_resolved", "before run_started"),
  ...doomed("approve", "after the run's row"),
  ...at("approve", "before execution_started", "after execution_started", "before effect", "after effect"),
  ...at("approve", "before execution_finished", "after execution_finished", "after tool_result"),
  ...at("approve", "before the tool message", "after the tool message", "model 1", "before run_stopped"),
  ...at("reject", "after approval_resolved", "before tool_result"),
  ...at("edit", "before approval_resolved", "after approval_resolved", "before approval_requested"),
  ...at("edit", "after approval_requested"),
  ...at("withdraw", "before approval_resolved", "after approval_resolved", "after tool_result"),
  ...doomed("cancel", "before the cancel mark", "after the cancel mark"),
  ...at("cancel", "before approval_resolved", "after approval_resolved"),
  ...at("delete", "before approval_resolved", "after approval_resolved"),
  ...doomed("delete", "before the thread's end", "after the thread's end"),
  ...at("answer an outcome", "before approval_requested", "after approval_requested"),
  ...at("answer an outcome", "before approval_resolved", "after approval_resolved"),
];

function at(deed: Deed, ...moments: string[]): { deed: Deed; at: string }[] {
  return moments.map((moment) => ({ deed, at: moment }));
}
function doomed(deed: Deed, ...moments: string[]): { deed: Deed; at: string; isDoomed: true }[] {
  return moments.map((moment) => ({ deed, at: moment, isDoomed: true }));
}

/** Every third one, so that all deeds are there; `STORY_WINDOWS=all` takes all of them, as `npm run soak` does. */
const CHOSEN = process.env["STORY_WINDOWS"] === "all" ? WINDOWS : WINDOWS.filter((_, n) => n % 3 === 0);

const { start, effects } = story([calls(["delete", "$text"]), says("done")], {
  version: 1,
  rules: [{ id: "vault", tools: ["delete"], when: { path: { glob: "vault-*" } }, tier: "approve" }],
});
let server: Server;
let stderr = "";
beforeAll(async () => {
  server = await start();
});

it.each(CHOSEN.map((window, n) => ({ ...window, text: `w${n}` })))(
  "loses nothing and runs nothing twice when it is killed $at, as its client does: $deed",
  async ({ deed, text, ...window }) => {
    // The window before this one may have been missed.
    if (server.hasEnded()) server = await start();
    const seen = new Set<string>();
    const thread_id = await reach(deed, text, window, seen);
    await server.kill();
    stderr += server.stderr();
    server = await start();
    await finish(thread_id, seen);
    await expectWhole({ thread_id, text, deed, seen });
  },
);

/** Does the deed on a new thread until the process stands at the window, or has died there. */
async function reach(
  deed: Deed,
  text: string,
  { at, isDoomed = false }: { at: string; isDoomed?: boolean },
  seen: Set<string>,
): Promise<string> {
  const moment = at.endsWith("effect") ? `${at} ${text}` : at;
  const arm = (): void => (isDoomed ? server.doom(moment) : server.hold(moment));
  const isThere = (): boolean => (isDoomed ? server.hasEnded() : server.isAt(moment));
  if (deed === "nothing") {
    const { body } = await server.post("/threads", {});
    arm();
    void run(textOf(body["thread_id"]), text);
    await until(isThere, moment);
    return textOf(body["thread_id"]);
  }
  const thread_id = await server.begin(text);
  const { approval_id } = await server.pending(thread_id);
  seen.add(approval_id);
  if (deed === "answer an outcome") {
    server.hold(`after effect ${text}`);
    void act("approve", thread_id, approval_id, text);
    await server.at(`after effect ${text}`);
    await server.kill();
    server = await start(at.endsWith("requested") ? [at] : []);
    if (!at.endsWith("requested")) {
      const outcome = await server.pending(thread_id);
      seen.add(outcome.approval_id);
      arm();
      void act("answer an outcome", thread_id, outcome.approval_id, text);
    }
  } else {
    arm();
    void act(deed, thread_id, approval_id, text);
  }
  await until(isThere, moment);
  return thread_id;
}

const run = (thread_id: string, text: string): Promise<Answer | undefined> =>
  server
    .post(`/threads/${thread_id}/runs/wait`, {
      assistant_id: "agent",
      input: { messages: [{ role: "user", content: text }] },
    })
    .catch(() => undefined);

/** Sends what the client does. The process may be killed before there is an answer. */
async function act(deed: Deed, thread_id: string, approval_id: string, text: string): Promise<void> {
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
async function finish(thread_id: string, seen: Set<string>): Promise<void> {
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

interface Left {
  thread_id: string;
  text: string;
  deed: Deed;
  seen: Set<string>;
}

async function expectWhole({ thread_id, text, deed, seen }: Left): Promise<void> {
  const done = effects().filter((line) => line.endsWith(text));
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
  // What was cancelled, or half deleted, leaves its call to whoever comes next, who is answered.
  if (
    !isGone &&
    ["cancel", "delete"].includes(deed) &&
    approvals.some(({ status }) => status === "cancelled")
  )
    await run(thread_id, "more");
  if (!isGone) await expectAnswered(thread_id, approvals);
  const { body } = await server.get(`/audit?thread_id=${thread_id}&limit=10000`);
  const types = listOf(body["events"]).map((event) => textOf(event["type"]));
  const count = (type: string): number => types.filter((one) => one === type).length;
  expect(count("tool_result")).toBe(count("tool_call_started"));
  expect(count("run_stopped")).toBe(count("run_started"));
  expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true, broken: [] });
  expect(stderr + server.stderr()).toBe("");
}

const hasAllowed = ({ status, kind }: Approval): boolean => kind === "call" && status === "approved";

/** Each call that the model made has one tool message, and the model has said its last word, unless nothing was begun. */
async function expectAnswered(thread_id: string, approvals: readonly Approval[]): Promise<void> {
  const types = (await server.messages(thread_id)).map((message) => message.split(":", 1)[0]);
  if (types.length === 0) return expect(approvals).toEqual([]);
  const more = types.length === 5 ? ["human"] : [];
  expect(types).toEqual(["human", "ai", "tool", ...more, "ai"]);
  if (more.length > 0) expect(approvals.some(({ status }) => status === "cancelled")).toBe(true);
}
