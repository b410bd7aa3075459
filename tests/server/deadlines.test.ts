import { describe, expect, it } from "vitest";
import { bench, listOf, remove, until } from "./bench.ts";

const policy = { version: 1 as const, review: { timeout: "1h" } };
const HOUR = 60 * 60 * 1_000;
const steps = [remove("a"), { content: "Nobody answered." }];

describe("a deadline", () => {
  it("passes with the server up: nothing ran, the model is told, the run went on", async () => {
    let now = Date.now();
    const { begin, pending, get, post, effects } = await bench(steps, { policy, clock: () => now });
    const { thread_id } = await begin();
    const [approval] = await pending();
    now += HOUR;
    await until(async () => (await pending()).length === 0);
    await expect.poll(async () => (await get(`/threads/${thread_id}`)).body["status"]).toBe("idle");
    const path = `/approvals/${approval!.approval_id}`;
    expect((await get(path)).body).toMatchObject({
      status: "expired",
      decision: { decided_by: { kind: "timeout" } },
    });
    const messages = listOf((await get(`/threads/${thread_id}`)).body["values"]?.["messages"]);
    expect(messages.map((one) => one["type"])).toEqual(["human", "ai", "tool", "ai"]);
    expect(messages[2]).toMatchObject({ status: "error", artifact: { outcome: "expired" } });
    const late = await post(`${path}/decision`, { type: "approve" });
    expect(late.body).toMatchObject({ code: "expired", status: 410, approval: { status: "expired" } });
    expect(effects.deleted).toEqual([]);
  });

  it("passes with the server down, and is kept at the next start", async () => {
    let now = Date.now();
    const clock = () => now;
    const first = await bench(steps, { policy, clock });
    const { thread_id } = await first.begin();
    const [approval] = await first.pending();
    now += HOUR;
    const { get, effects } = await first.restart({ clock });
    await expect.poll(async () => (await get(`/threads/${thread_id}`)).body["status"]).toBe("idle");
    expect((await get(`/approvals/${approval!.approval_id}`)).body["status"]).toBe("expired");
    expect(effects.deleted).toEqual([]);
  });
});

describe("a restart", () => {
  it("keeps what is pending, under the same id", async () => {
    const first = await bench(steps);
    const { thread_id } = await first.begin();
    const before = await first.pending();
    const { pending, post, get, effects } = await first.restart();
    expect(await pending()).toEqual(before);
    expect((await get(`/threads/${thread_id}`)).body["status"]).toBe("interrupted");
    await post(`/approvals/${before[0]!.approval_id}/decision?wait=10`, { type: "approve" });
    expect(effects.deleted).toEqual(["a"]);
  });

  it("acts on a decision that was written and not acted upon", async () => {
    const first = await bench(steps);
    const { thread_id } = await first.begin();
    const [approval] = await first.pending();
    // Written by somebody who wakes nobody, as a crash right after the writing would leave it.
    const { openDesk } = await import("../../src/desk/index.ts");
    await openDesk(first.server.ledger).decide(approval!.approval_id, { type: "approve" });
    expect(first.effects.deleted).toEqual([]);
    const { get, effects } = await first.restart();
    await expect.poll(async () => (await get(`/threads/${thread_id}`)).body["status"]).toBe("idle");
    expect(effects.deleted).toEqual(["a"]);
  });

  it("lets a running tool finish, and goes on with the run at the next start", async () => {
    const first = await bench(steps);
    let open = (): void => undefined;
    first.effects.gate = new Promise((resolve) => (open = resolve));
    const { thread_id } = await first.begin();
    const [approval] = await first.pending();
    await first.post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    await until(() => first.effects.begun === 1);
    const restarted = first.restart();
    open();
    const { get, effects, errors } = await restarted;
    await expect.poll(async () => (await get(`/threads/${thread_id}`)).body["status"]).toBe("idle");
    const messages = listOf((await get(`/threads/${thread_id}`)).body["values"]?.["messages"]);
    expect(messages.map((one) => one["type"])).toEqual(["human", "ai", "tool", "ai"]);
    expect(effects).toMatchObject({ begun: 1, deleted: ["a"] });
    expect(first.errors).toEqual([]);
    expect(errors).toEqual([]);
  });
});
