import { describe, expect, it } from "vitest";
import { listOf } from "./http.ts";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";

/** Long enough for a server to see that another one is gone, and to act upon a decision that nobody acted upon. */
const A_WHILE = 6_000;

const a_while = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, A_WHILE));

const runsOf = async (server: Server, thread_id: string): Promise<unknown[]> =>
  listOf((await server.get(`/threads/${thread_id}/runs`)).body).map(({ status }) => status);

/** A server that serves the agent, and one beside it that serves another graph. */
async function pair(holds: string[] = []) {
  const { start, effects } = story([calls(["touch", "a"]), says("done")]);
  const other = await start([], { graph: "other" });
  const first = await start(holds);
  return { start, effects, other, first };
}

async function expectDone(server: Server, thread_id: string): Promise<void> {
  await until(async () => (await server.messages(thread_id)).length === 4, "the thread went on");
  await server.untilStatus(thread_id, "idle");
  expect((await server.messages(thread_id)).at(-1)).toBe("ai: done");
  expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true });
  expect(server.stderr()).toBe("");
}

describe("what a killed server leaves beside one that serves another graph", () => {
  it("waits for a server that serves its graph: a run before its first state", async () => {
    const { start, other, first } = await pair(["model 0"]);
    const thread_id = await first.send();
    await first.at("model 0");
    await first.kill();
    await a_while();
    expect((await other.get(`/threads/${thread_id}`)).body).toMatchObject({ status: "busy" });
    expect((await other.get(`/threads/${thread_id}`)).body["error"]).toBeUndefined();
    // Nor does one that starts in the meantime take it up.
    await other.kill();
    const late = await start([], { graph: "other" });
    expect(await late.status(thread_id)).toBe("busy");
    const again = await start();
    await again.decide((await again.pending(thread_id)).approval_id, { type: "approve" });
    await expectDone(again, thread_id);
  });

  it("waits: a run in the middle of a tool", async () => {
    const { start, other, first, effects } = await pair(["after effect a"]);
    const thread_id = await first.begin();
    const { approval_id } = await other.pending(thread_id);
    first.decide(approval_id, { type: "approve" }).catch(() => undefined);
    await first.at("after effect a");
    await first.kill();
    await a_while();
    expect(await runsOf(other, thread_id)).toEqual(["running", "interrupted"]);
    expect(await other.status(thread_id)).toBe("busy");
    await expectDone(await start(), thread_id);
    expect(effects()).toEqual(["touch a", "touch a"]);
  });

  it("waits: a decision that the other one takes", async () => {
    const { start, other, first, effects } = await pair();
    const thread_id = await first.begin();
    await first.kill();
    const { approval_id } = await other.pending(thread_id);
    const { status, body } = await other.post(`/approvals/${approval_id}/decision`, { type: "approve" });
    expect([status, body["resumed"], body["run_id"]]).toEqual([200, false, null]);
    await a_while();
    expect(await other.status(thread_id)).toBe("interrupted");
    expect(await runsOf(other, thread_id)).toEqual(["interrupted"]);
    await expectDone(await start(), thread_id);
    expect(effects()).toEqual(["touch a"]);
  });

  it("waits: a run whose time comes", async () => {
    const { start, other, first } = await pair();
    await first.post("/threads", { thread_id: "timed" });
    const input = { messages: [{ role: "user", content: "go" }] };
    await first.post("/threads/timed/runs", { assistant_id: "agent", input, after_seconds: 2 });
    await first.kill();
    await other.kill();
    const late = await start([], { graph: "other" });
    await a_while();
    expect(await runsOf(late, "timed")).toEqual(["pending"]);
    const again = await start();
    await again.decide((await again.pending("timed")).approval_id, { type: "approve" });
    await expectDone(again, "timed");
  });

  it("is taken up by a third one that serves it, whoever sees first that the server is gone", async () => {
    const { start, first } = await pair();
    const third = await start();
    await first.post("/threads", { thread_id: "timed" });
    const input = { messages: [{ role: "user", content: "go" }] };
    await first.post("/threads/timed/runs", { assistant_id: "agent", input, after_seconds: 2 });
    await first.kill();
    await third.decide((await third.pending("timed")).approval_id, { type: "approve" });
    await expectDone(third, "timed");
  });
});
