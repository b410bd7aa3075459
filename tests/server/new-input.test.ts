import { describe, expect, it } from "vitest";
import { bench, listOf, remove, resumeOf, runOf } from "./bench.ts";

describe("new input on a thread with something pending", () => {
  it("is refused, names what is pending and changes nothing", async () => {
    const { begin, pending, post, effects } = await bench([remove("a"), { content: "done" }]);
    const { thread_id } = await begin();
    const before = await pending();
    for (const body of [runOf("more"), { assistant_id: "agent", input: null }, { assistant_id: "agent" }]) {
      const refused = await post(`/threads/${thread_id}/runs/wait`, body);
      expect(refused.status).toBe(409);
      expect(refused.body).toMatchObject({ code: "approval_pending", pending: [before[0]!.approval_id] });
    }
    expect(await pending()).toEqual(before);
    expect(effects.deleted).toEqual([]);
  });

  it("withdraws what is pending where the policy says so, and the model is told", async () => {
    const policy = { version: 1 as const, review: { onNewInput: "withdraw" as const } };
    const steps = [remove("a"), { content: "As you like." }, { content: "Here." }];
    const { begin, pending, post, get, effects } = await bench(steps, { policy });
    const { thread_id } = await begin();
    const [approval] = await pending();
    const { body } = await post(`/threads/${thread_id}/runs/wait`, runOf("never mind"));
    const messages = listOf(body["messages"]);
    expect(messages.map((one) => one["type"])).toEqual(["human", "ai", "tool", "ai", "human", "ai"]);
    expect(messages[2]).toMatchObject({ status: "error", artifact: { outcome: "cancelled" } });
    expect((await get(`/approvals/${approval!.approval_id}`)).body).toMatchObject({
      status: "cancelled",
      decision: { decided_by: { kind: "system" } },
    });
    expect(effects.deleted).toEqual([]);
  });

  it("is refused while a run is live", async () => {
    const { begin, pending, post, get, effects } = await bench([
      remove("a"),
      { content: "done" },
      { content: "more" },
    ]);
    let open = (): void => undefined;
    effects.gate = new Promise((resolve) => (open = resolve));
    const { thread_id } = await begin();
    const [approval] = await pending();
    await post(`/approvals/${approval!.approval_id}/decision`, { type: "approve" });
    const refused = await post(`/threads/${thread_id}/runs/stream`, runOf("more"));
    expect(refused.body).toMatchObject({ code: "thread_busy", status: 409 });
    open();
    await expect.poll(async () => (await get(`/threads/${thread_id}`)).body["status"]).toBe("idle");
    expect((await post(`/threads/${thread_id}/runs/wait`, runOf("more"))).status).toBe(200);
  });

  it("cannot jump over the question", async () => {
    const { begin, post, pending, effects } = await bench([remove("a")]);
    const { thread_id } = await begin();
    const before = await pending();
    for (const command of [
      { goto: "tools" },
      { update: { messages: [] } },
      { resume: { type: "approve" }, goto: "agent" },
    ]) {
      const { body } = await post(`/threads/${thread_id}/runs/wait`, { assistant_id: "agent", command });
      expect(body).toMatchObject({ code: "approval_pending", status: 409 });
    }
    expect(await pending()).toEqual(before);
    expect(effects.deleted).toEqual([]);
  });

  it("cannot steer LangGraph itself", async () => {
    const { begin, pending, post, effects } = await bench([remove("a", "b"), { content: "done" }]);
    const configurable = {
      ...{
        __pregel_strict_resume: false,
        __pregel_resuming: true,
        checkpoint_map: { "": "x" },
        countersign_refused: "x",
      },
      ...{ thread_id: "other", checkpoint_ns: "x" },
    };
    const { thread_id } = await begin();
    const answer = resumeOf(
      { type: "approve" },
      { config: { configurable }, durability: "exit", strict_resume: false },
    );
    expect((await post(`/threads/${thread_id}/runs/wait`, answer)).body).toMatchObject({ code: "ambiguous" });
    const [a] = await pending();
    const named = resumeOf({ [a!.approval_id]: { type: "approve" } }, { config: { configurable } });
    expect((await post(`/threads/${thread_id}/runs/wait`, named)).status).toBe(200);
    expect(effects.deleted).toEqual(["a"]);
    expect(await pending()).toHaveLength(1);
  });
});

describe("the context of a run", () => {
  it("holds through every resume", async () => {
    const steps = [remove("a"), remove("b"), { content: "done" }];
    const { post, pending, effects } = await bench(steps);
    await post("/threads", { thread_id: "t1" });
    const rules = [{ id: "no-b", tools: ["delete_file"], when: { path: { equals: "b" } }, tier: "deny" }];
    await post("/threads/t1/runs/wait", runOf("go", { context: { policy: { rules } } }));
    const [a] = await pending();
    await post(`/approvals/${a!.approval_id}/decision?wait=10`, { type: "approve" });
    expect(effects.deleted).toEqual(["a"]);
    expect(await pending()).toEqual([]);
  });
});
