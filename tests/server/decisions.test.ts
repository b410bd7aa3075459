import { describe, expect, it } from "vitest";
import { bench, remove } from "./bench.ts";

describe("deciding over HTTP", () => {
  it("has no effect before a decision, and shows what is asked", async () => {
    const { begin, pending, effects, get } = await bench([remove("a.txt")]);
    const { thread_id, values } = await begin();
    expect(effects.deleted).toEqual([]);
    expect(values["__interrupt__"]).toHaveLength(1);
    const [approval] = await pending(thread_id);
    expect(approval).toMatchObject({
      ...{ tool: "delete_file", args: { path: "a.txt" }, tier: "approve", status: "pending" },
      ...{ thread_id, graph_id: "agent", tool_call_id: "c_a.txt_0" },
    });
    expect(approval?.reason).toBeTruthy();
    expect(Date.parse(approval?.expires_at ?? "")).toBeGreaterThan(Date.now());
    expect((await get(`/threads/${thread_id}`)).body["status"]).toBe("interrupted");
  });

  it("runs the tool once after approval, and the run ends", async () => {
    const { begin, pending, effects, post, get, errors } = await bench([
      remove("a.txt"),
      { content: "done" },
    ]);
    const { thread_id } = await begin();
    const [approval] = await pending();
    const decided = await post(`/approvals/${approval!.approval_id}/decision?wait=10`, { type: "approve" });
    expect(decided.status).toBe(200);
    expect(decided.body).toMatchObject({
      resumed: true,
      approval: { status: "approved", execution: { state: "succeeded" } },
    });
    expect(decided.body["run_id"]).toEqual(expect.any(String));
    expect(effects.deleted).toEqual(["a.txt"]);
    const { body: thread } = await get(`/threads/${thread_id}`);
    expect(thread["status"]).toBe("idle");
    expect(thread["values"]["messages"].map((one) => one["type"])).toEqual(["human", "ai", "tool", "ai"]);
    expect(await pending()).toEqual([]);
    expect(errors).toEqual([]);
  });
});
