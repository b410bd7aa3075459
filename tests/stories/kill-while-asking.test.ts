import { describe, expect, it } from "vitest";
import { calls, says } from "./plan.ts";
import { story } from "./story.ts";

const script = [calls(["delete", "a"]), says("done")];
const ended = ["human: go", "ai: ", "tool: delete: a", "ai: done"];

describe("a server that is killed while an approval is pending", () => {
  it("shows the same approval after its restart, and runs the tool once when it is approved", async () => {
    const { start, effects } = story(script);
    const first = await start();
    const thread_id = await first.begin();
    const before = await first.pending(thread_id);
    await first.kill();

    const second = await start();
    expect(await second.pending(thread_id)).toEqual(before);
    expect(await second.status(thread_id)).toBe("interrupted");
    expect(effects()).toEqual([]);
    const { status, body } = await second.decide(before.approval_id, { type: "approve" });
    expect(status).toBe(200);
    expect(body["approval"]).toMatchObject({ status: "approved", execution: { state: "succeeded" } });
    expect(effects()).toEqual(["delete a"]);
    expect(await second.status(thread_id)).toBe("idle");
    expect(await second.messages(thread_id)).toEqual(ended);
    expect(second.stderr()).toBe("");
  });

  it("asks no second time when LangGraph had not kept the question yet", async () => {
    const { start, effects } = story(script);
    const first = await start(["after approval_requested"]);
    const thread_id = await first.send();
    await first.at("after approval_requested");
    const before = await first.pending(thread_id);
    await first.kill();

    const second = await start();
    await second.untilStatus(thread_id, "interrupted");
    expect(await second.pending(thread_id)).toEqual(before);
    await second.decide(before.approval_id, { type: "approve" });
    expect(effects()).toEqual(["delete a"]);
    expect(await second.approvals({ thread_id, status: "all" })).toHaveLength(1);
    expect(await second.messages(thread_id)).toEqual(ended);
  });
});

describe("a server that is killed after a decision was written and before it was acted upon", () => {
  it("runs an approved tool after its restart without anybody asking", async () => {
    const { start, effects } = story(script);
    const first = await start(["after approval_resolved"]);
    const thread_id = await first.begin();
    const { approval_id } = await first.pending(thread_id);
    first.decide(approval_id, { type: "approve" }).catch(() => undefined);
    await first.at("after approval_resolved");
    await first.kill();
    expect(effects()).toEqual([]);

    const second = await start();
    await second.untilStatus(thread_id, "idle");
    expect(effects()).toEqual(["delete a"]);
    expect(await second.messages(thread_id)).toEqual(ended);
    const [approval] = await second.approvals({ thread_id, status: "all" });
    expect(approval).toMatchObject({
      ...{ approval_id, status: "approved", decision: { decided_by: { kind: "user" } } },
      execution: { state: "succeeded" },
    });
    expect(second.stderr()).toBe("");
  });

  it("does not run a rejected tool after its restart, and tells the model", async () => {
    const { start, effects } = story(script);
    const first = await start(["after approval_resolved"]);
    const thread_id = await first.begin();
    const { approval_id } = await first.pending(thread_id);
    first.decide(approval_id, { type: "reject", message: "keep it" }).catch(() => undefined);
    await first.at("after approval_resolved");
    await first.kill();

    const second = await start();
    await second.untilStatus(thread_id, "idle");
    expect(effects()).toEqual([]);
    const told = await second.messages(thread_id);
    expect(told).toHaveLength(4);
    expect(told[2]).toContain("keep it");
  });

  it("runs the approved one of two and leaves the other one's question open", async () => {
    const { start, effects } = story([calls(["delete", "a"], ["delete", "b"]), says("done")]);
    const first = await start(["after approval_resolved"]);
    const thread_id = await first.begin();
    const [a, b] = await first.approvals({ thread_id });
    first.decide(a!.approval_id, { type: "approve" }).catch(() => undefined);
    await first.at("after approval_resolved");
    await first.kill();

    const second = await start();
    await second.untilStatus(thread_id, "interrupted");
    expect(await second.pending(thread_id)).toEqual(b);
    expect(effects()).toEqual([`delete ${String(a!.args["path"])}`]);
    await second.decide(b!.approval_id, { type: "approve" });
    expect(effects().toSorted()).toEqual(["delete a", "delete b"]);
    expect((await second.messages(thread_id)).slice(2)).toEqual([
      "tool: delete: a",
      "tool: delete: b",
      "ai: done",
    ]);
  });
});
