import { describe, expect, it } from "vitest";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";

const script = [calls(["delete", "a"]), says("done")];
const policy = { version: 1, review: { timeout: "2s" } };

async function expectExpired(server: Server, thread_id: string, approval_id: string): Promise<void> {
  await server.untilStatus(thread_id, "idle");
  const [approval] = await server.approvals({ thread_id, status: "all" });
  expect(approval).toMatchObject({
    ...{ approval_id, status: "expired", execution: { state: "none" } },
    decision: { decided_by: { kind: "timeout" } },
  });
  const told = await server.messages(thread_id);
  expect(told).toHaveLength(4);
  expect(told[2]).toMatch(/time|nobody/i);
  expect(told[3]).toBe("ai: done");
  const late = await server.decide(approval_id, { type: "approve" });
  expect(late).toMatchObject({ status: 410, body: { code: "expired" } });
  expect(await server.status(thread_id)).toBe("idle");
}

describe("a deadline that passes", () => {
  it("ends the question, runs nothing and lets the run go on while the server is up", async () => {
    const { start, effects } = story(script, policy);
    const server = await start();
    const thread_id = await server.begin();
    await until(async () => (await server.approvals({ thread_id })).length === 0, "the question was closed");
    const [approval] = await server.approvals({ thread_id, status: "all" });
    await expectExpired(server, thread_id, approval!.approval_id);
    expect(effects()).toEqual([]);
    expect(server.stderr()).toBe("");
  });

  it("does the same at the next start when the server was down over it", async () => {
    const { start, effects } = story(script, policy);
    // Should the time be up before the kill, the process stands still in front of writing that.
    const first = await start(["before approval_resolved"]);
    const thread_id = await first.begin();
    const { approval_id, expires_at } = await first.pending(thread_id);
    await first.kill();
    await until(() => Date.now() > Date.parse(expires_at ?? ""), "the deadline had passed");
    const restart = new Date().toISOString();

    const second = await start();
    await expectExpired(second, thread_id, approval_id);
    const [approval] = await second.approvals({ thread_id, status: "all" });
    expect(approval!.decision!.decided_at >= restart).toBe(true);
    expect(effects()).toEqual([]);
    expect(second.stderr()).toBe("");
  });

  it("leaves a question open whose time is not up", async () => {
    const { start } = story(script, { version: 1, review: { timeout: "1h" } });
    const first = await start();
    const thread_id = await first.begin();
    const before = await first.pending(thread_id);
    await first.kill();
    const second = await start();
    expect(await second.pending(thread_id)).toEqual(before);
  });
});
