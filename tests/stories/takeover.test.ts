import { describe, expect, it } from "vitest";
import { calls, says } from "./plan.ts";
import { story, type Server } from "./story.ts";
import { until } from "./until.ts";

const SCRIPT = [calls(["delete", "a"]), says("done")];

async function untilAsked(server: Server, thread_id: string): Promise<string> {
  const { approval_id } = await server.pending(thread_id);
  return approval_id;
}

async function expectSound(server: Server): Promise<void> {
  expect((await server.get("/audit/verify")).body).toMatchObject({ ok: true });
  expect(server.stderr()).toBe("");
}

describe("a server that is killed beside another one on the same file", () => {
  it("leaves its run to the other, which asks the question that was about to be asked", async () => {
    for (const moment of ["model 0", "before tool_call_started", "after approval_requested"]) {
      const { start, effects } = story(SCRIPT);
      const [first, second] = await Promise.all([start([moment]), start()]);
      const thread_id = await first.send();
      await first.at(moment);
      await first.kill();
      const approval_id = await untilAsked(second, thread_id);
      await second.decide(approval_id, { type: "approve" });
      await second.untilStatus(thread_id, "idle");
      expect(effects()).toEqual(["delete a"]);
      await expectSound(second);
    }
  });

  it("leaves a decision that it took and did not act upon", async () => {
    const { start, effects } = story(SCRIPT);
    const [first, second] = await Promise.all([start(["after approval_resolved"]), start()]);
    const thread_id = await first.begin();
    const approval_id = await untilAsked(second, thread_id);
    first.decide(approval_id, { type: "approve" }).catch(() => undefined);
    await first.at("after approval_resolved");
    await first.kill();
    await until(() => effects().length === 1, "the tool ran");
    await second.untilStatus(thread_id, "idle");
    expect(await second.messages(thread_id)).toHaveLength(4);
    await expectSound(second);
  });

  it("leaves an execution of which nobody knows what it did, and the other asks", async () => {
    const { start, effects } = story(SCRIPT);
    const [first, second] = await Promise.all([start(["after effect a"]), start()]);
    const thread_id = await first.begin();
    const approval_id = await untilAsked(second, thread_id);
    first.decide(approval_id, { type: "approve" }).catch(() => undefined);
    await first.at("after effect a");
    await first.kill();
    await until(
      async () => (await second.approvals({ thread_id })).some(({ kind }) => kind === "outcome"),
      "the outcome was asked for",
    );
    const [outcome] = await second.approvals({ thread_id });
    await second.decide(outcome!.approval_id, { type: "respond", message: "it is deleted" });
    await second.untilStatus(thread_id, "idle");
    expect(effects()).toEqual(["delete a"]);
    await expectSound(second);
  });
});
