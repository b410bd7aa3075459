import { describe, expect, it, vi } from "vitest";
import { openDesk } from "../../src/desk/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { bench, listOf, remove, runOf, textOf, until, type Bench, type BenchOptions } from "./bench.ts";

vi.setConfig({ testTimeout: 30_000 });

const TURN = [remove("a"), { content: "done" }, { content: "more done" }];

/** Decides as another process does that is killed right after: nobody here hears of it at once. */
async function decideUnheard(
  { store }: Bench,
  approval_id: string,
  type: "approve" | "reject",
): Promise<void> {
  const ledger = await openLedger(store);
  await openDesk(ledger).decide(approval_id, { type });
  await ledger.close();
}

/** A thread with a decision that nobody has acted upon. */
async function decided(type: "approve" | "reject" = "approve", options: BenchOptions = {}) {
  const one = await bench(TURN, options);
  const { thread_id } = await one.begin();
  const [approval] = await one.pending();
  await decideUnheard(one, approval!.approval_id, type);
  return { one, thread_id, approval_id: approval!.approval_id };
}

const statusOf = async (server: Bench, thread_id: string): Promise<string> =>
  textOf((await server.get(`/threads/${thread_id}`)).body["status"]);

const said = async (server: Bench, thread_id: string): Promise<string[]> =>
  listOf((await server.get(`/threads/${thread_id}/state`)).body["values"]!["messages"]).map(
    ({ type, content }) => `${textOf(type)}: ${textOf(content)}`,
  );

describe("a decision that nothing has acted upon", () => {
  it("is what its thread still waits for, wherever that is asked", async () => {
    const { one, thread_id } = await decided();
    expect(await statusOf(one, thread_id)).toBe("interrupted");
    const found = await one.post("/threads/search", { status: "idle" });
    expect(listOf(found.body)).toEqual([]);
    await until(async () => (await statusOf(one, thread_id)) === "idle", 12_000);
    expect(one.effects.deleted).toEqual(["a"]);
  });

  it("goes before a new input, which is refused meanwhile", async () => {
    const { one, thread_id } = await decided();
    const refused = await one.post(`/threads/${thread_id}/runs`, runOf("more"));
    expect(refused).toMatchObject({ status: 409, body: { code: "thread_busy" } });
    await until(async () => (await statusOf(one, thread_id)) === "idle");
    expect(one.effects.deleted).toEqual(["a"]);
    expect((await one.post(`/threads/${thread_id}/runs/wait`, runOf("more"))).status).toBe(200);
    expect(await said(one, thread_id)).toEqual([
      ...["human: go", "ai: ", "tool: deleted a", "ai: done", "human: more", "ai: more done"],
    ]);
    expect(one.errors).toEqual([]);
  });

  it.each(["enqueue", "interrupt", "rollback"])("goes before a new input that comes with %s", async (how) => {
    const { one, thread_id } = await decided();
    const more = runOf("more", { multitask_strategy: how });
    expect((await one.post(`/threads/${thread_id}/runs/wait`, more)).status).toBe(200);
    expect(one.effects.deleted).toEqual(["a"]);
    expect((await said(one, thread_id)).slice(2)).toEqual([
      ...["tool: deleted a", "ai: done", "human: more", "ai: more done"],
    ]);
  });

  it("is told to the model before a new input when it was a rejection", async () => {
    const { one, thread_id } = await decided("reject");
    const more = runOf("more", { multitask_strategy: "enqueue" });
    await one.post(`/threads/${thread_id}/runs/wait`, more);
    const messages = await said(one, thread_id);
    expect(messages[2]).toContain("rejected");
    expect(messages.slice(3)).toEqual(["ai: done", "human: more", "ai: more done"]);
    expect(one.effects.deleted).toEqual([]);
  });

  it("is not lost to a state write", async () => {
    const { one, thread_id } = await decided();
    const values = { messages: [{ role: "user", content: "written" }] };
    const refused = await one.post(`/threads/${thread_id}/state`, { values });
    expect(refused).toMatchObject({ status: 409, body: { code: "thread_busy" } });
    await until(() => one.effects.deleted.length === 1, 12_000);
  });

  it("is not acted upon once the run that asked is cancelled", async () => {
    const { one, thread_id } = await decided();
    const [asked] = listOf((await one.get(`/threads/${thread_id}/runs`)).body);
    await one.post(`/threads/${thread_id}/runs/${textOf(asked!["run_id"])}/cancel?wait=1`, {});
    expect(await statusOf(one, thread_id)).toBe("idle");
    expect((await one.post(`/threads/${thread_id}/runs/wait`, runOf("more"))).status).toBe(200);
    expect(one.effects.deleted).toEqual([]);
    expect(await said(one, thread_id)).toHaveLength(5);
  });
});

describe("a run that stops while somebody else decides what it asked", () => {
  it("leaves its thread waiting for that, and not at rest", async () => {
    const one = await bench([remove("a", "b"), { content: "done" }]);
    let finish = (): void => undefined;
    one.effects.gate = new Promise((resolve) => (finish = resolve));
    const { thread_id } = await one.begin();
    const [first, second] = await one.pending(thread_id);
    const { body } = await one.post(`/approvals/${first!.approval_id}/decision`, { type: "approve" });
    await until(() => one.effects.begun === 1);
    await decideUnheard(one, second!.approval_id, "approve");
    finish();
    const seen = new Set<string>();
    await until(async () => {
      if (one.effects.deleted.length < 2) seen.add(await statusOf(one, thread_id));
      return one.effects.deleted.length === 2;
    }, 12_000);
    expect([...seen]).not.toContain("idle");
    await until(async () => (await statusOf(one, thread_id)) === "idle");
    const { body: ended } = await one.get(`/threads/${thread_id}/runs/${textOf(body["run_id"])}`);
    expect(ended).toMatchObject({ status: "interrupted" });
    expect(one.errors).toEqual([]);
  });
});
