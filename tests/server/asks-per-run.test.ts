import { describe, expect, it } from "vitest";
import { bench, listOf, remove, runOf, textOf, type Bench } from "./bench.ts";

const policy = (asksPerRun: number) => ({ version: 1 as const, fatigue: { repeat: { asksPerRun } } });

/** Approves what is pending on a thread, and waits until its run has stopped again. */
async function approve({ post, pending }: Bench, thread_id: string): Promise<string> {
  const [approval] = await pending(thread_id);
  const { body } = await post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
  return textOf(body["run_id"]);
}

describe("questions of one run on the server", () => {
  it("are counted through its resumes, each a run of its own there, and through a restart", async () => {
    const steps = [remove("a"), remove("b"), remove("c"), { content: "I deleted a and b." }];
    let server = await bench(steps, { policy: policy(2) });
    const { thread_id } = await server.begin();
    const first = await approve(server, thread_id);
    server = await server.restart();
    const second = await approve(server, thread_id);
    expect(second).not.toBe(first);
    expect(await server.pending(thread_id)).toEqual([]);
    expect(server.effects.deleted).toEqual(["a", "b"]);
    const { body: state } = await server.get(`/threads/${thread_id}/state`);
    expect(state["values"]?.["messages"]).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          artifact: expect.objectContaining({ outcome: "rejected", rule: "asksPerRun" }) as object,
        }),
      ]) as object,
    );
    expect((await server.get(`/threads/${thread_id}`)).body["status"]).toBe("idle");
  });

  it("cannot be made more by ids that a request brings", async () => {
    const server = await bench([remove("a"), remove("b"), { content: "done" }], { policy: policy(1) });
    const { thread_id } = await server.begin();
    const [approval] = await server.pending(thread_id);
    await server.post(`/threads/${thread_id}/runs/wait`, {
      assistant_id: "agent",
      command: { resume: { [approval!.approval_id]: { type: "approve" } } },
      config: { configurable: { run_id: "of-the-client", checkpoint_ns: "" } },
      metadata: { run_id: "of-the-client" },
    });
    expect(server.effects.deleted).toEqual(["a"]);
    expect(await server.pending(thread_id)).toEqual([]);
  });

  it("end it when its model goes on, with an error that names itself, and the thread takes new input", async () => {
    const steps = [remove("a"), remove("b"), remove("c"), { content: "hello again" }];
    const server = await bench(steps, { policy: policy(1) });
    const { thread_id } = await server.begin();
    await approve(server, thread_id);
    const { body: thread } = await server.get(`/threads/${thread_id}`);
    expect(thread["status"]).toBe("error");
    const { body: runs } = await server.get(`/threads/${thread_id}/runs`);
    expect(listOf(runs)).toContainEqual(expect.objectContaining({ status: "error" }));
    const { body } = await server.get(`/audit?thread_id=${thread_id}&limit=1000`);
    expect(JSON.stringify(body)).toContain("This run has asked as many questions as it may");
    const { body: after } = await server.post(`/threads/${thread_id}/runs/wait`, runOf("hello?"));
    expect(JSON.stringify(after)).toContain("hello again");
    expect(server.effects.deleted).toEqual(["a"]);
  });
});

describe("a quiet question on the server", () => {
  it("is listed and answered like any other, and says until when nobody is told", async () => {
    const budget = { asks: 1, per: "1h", by: "thread" as const, over: "digest" as const };
    const steps = [remove("a"), remove("b"), { content: "done" }];
    const server = await bench(steps, { policy: { version: 1, fatigue: { budget } } });
    const { thread_id } = await server.begin();
    const [first] = await server.pending(thread_id);
    expect(first).not.toHaveProperty("quiet_until");
    await approve(server, thread_id);
    const [quiet] = await server.pending(thread_id);
    expect(Date.parse(quiet!.quiet_until ?? "")).toBeGreaterThan(Date.now() + 3_000_000);
    await approve(server, thread_id);
    expect(server.effects.deleted).toEqual(["a", "b"]);
  });
});
