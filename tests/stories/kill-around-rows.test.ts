import { describe, expect, it } from "vitest";
import { calls, says } from "./plan.ts";
import { story } from "./story.ts";

const script = [calls(["delete", "a"]), says("done")];
const ended = ["human: go", "ai: ", "tool: delete: a", "ai: done"];

describe("a server that is killed between a tool's result and the end of the run", () => {
  it.each(["after tool_result", "before the tool message", "after the tool message", "model 1"])(
    "tells the model the recorded result and does not run the tool again (%s)",
    async (moment) => {
      const { start, effects } = story(script);
      const first = await start([moment]);
      const thread_id = await first.begin();
      const { approval_id } = await first.pending(thread_id);
      first.decide(approval_id, { type: "approve" }).catch(() => undefined);
      await first.at(moment);
      await first.kill();

      const second = await start();
      await second.untilStatus(thread_id, "idle");
      expect(effects()).toEqual(["delete a"]);
      expect(await second.messages(thread_id)).toEqual(ended);
      expect(await second.approvals({ thread_id, status: "all" })).toMatchObject([
        { approval_id, status: "approved", execution: { state: "succeeded" } },
      ]);
      expect(second.stderr()).toBe("");
    },
  );

  it.each(["before run_stopped", "after run_stopped"])("gives each run one end (%s)", async (moment) => {
    const { start, effects } = story(script);
    const first = await start([moment]);
    const thread_id = await first.send();
    await first.at(moment);
    const { approval_id } = await first.pending(thread_id);
    await first.kill();

    const second = await start();
    await second.untilStatus(thread_id, "interrupted");
    await second.decide(approval_id, { type: "approve" });
    expect(await second.status(thread_id)).toBe("idle");
    expect(effects()).toEqual(["delete a"]);
    const { body } = await second.get(`/audit?thread_id=${thread_id}`);
    const types = (body["events"] as unknown as { type: string }[]).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith("run_"))).toEqual([
      ...["run_started", "run_stopped"],
      ...["run_started", "run_stopped"],
    ]);
  });
});

describe("a server that is killed before the question is on disk", () => {
  it.each(["model 0", "before the ai message", "after the ai message", "before approval_requested"])(
    "asks once after its restart (%s)",
    async (moment) => {
      const { start, effects } = story(script);
      const first = await start([moment]);
      const thread_id = await first.send();
      await first.at(moment);
      expect(await first.status(thread_id)).toBe("busy");
      await first.kill();

      const second = await start();
      await second.untilStatus(thread_id, "interrupted");
      const { approval_id } = await second.pending(thread_id);
      await second.decide(approval_id, { type: "approve" });
      expect(await second.approvals({ thread_id, status: "all" })).toHaveLength(1);
      expect(await second.messages(thread_id)).toEqual(ended);
      expect(effects()).toEqual(["delete a"]);
    },
  );

  it("brings the input again under the run's own id when not even that was on disk", async () => {
    const { start, effects } = story(script);
    const first = await start(["after run_started"]);
    const thread_id = await first.send();
    await first.at("after run_started");
    const runs = async (server: typeof first) => (await server.get(`/threads/${thread_id}/runs`)).body;
    const [begun] = (await runs(first)) as unknown as { run_id: string }[];
    await first.kill();

    const second = await start();
    await second.untilStatus(thread_id, "interrupted");
    expect(await runs(second)).toMatchObject([{ run_id: begun!.run_id, status: "interrupted" }]);
    const { approval_id } = await second.pending(thread_id);
    await second.decide(approval_id, { type: "approve" });
    expect(await second.messages(thread_id)).toEqual(ended);
    expect(effects()).toEqual(["delete a"]);
  });
});
