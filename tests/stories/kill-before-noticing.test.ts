import { describe, expect, it } from "vitest";
import { receiver, signatureFor, type Receiver } from "../server/receiver.ts";
import { calls, says } from "./plan.ts";
import { story } from "./story.ts";
import { until } from "./until.ts";

const script = [calls(["delete", "a"]), says("done")];
const noticesTo = ({ url }: Receiver) => ({ notices: [{ url, secret: "s" }] });
const settle = () => new Promise((resolve) => setTimeout(resolve, 2_500));

describe("a server that is killed between a question and its notice", () => {
  it.each(["before the notice", "before the claim"])(
    "tells it when it is back, once (%s)",
    async (moment) => {
      let isUp = false;
      const hook = await receiver((response) => void response.writeHead(isUp ? 200 : 500).end());
      const { start, effects } = story(script, undefined, noticesTo(hook));
      const first = await start();
      first.doom(moment);
      const thread_id = await first.send();
      await until(() => first.hasEnded(), "the server was killed");
      isUp = true;
      const before = hook.received.length;

      const second = await start();
      await second.untilStatus(thread_id, "interrupted");
      await until(() => hook.received.length > before, "the question was told");
      const { approval_id } = await second.pending(thread_id);
      const told = hook.received[before]!;
      expect(told).toMatchObject({ type: "approval.asked", data: { approval: { approval_id } } });
      expect(told.signature).toBe(signatureFor(told, Buffer.from("s")));
      await second.decide(approval_id, { type: "approve" });
      await until(() => hook.types().includes("approval.resolved"), "the end was told");
      expect(effects()).toEqual(["delete a"]);

      const third = await start();
      await settle();
      expect(hook.types().slice(before)).toEqual(["approval.asked", "approval.resolved"]);
      expect(new Set(hook.received.map(({ id }) => id)).size).toBe(2);
      expect(second.stderr() + third.stderr()).toBe("");
    },
  );

  it("tells it again under the same id when nobody knows whether it was heard", async () => {
    let isHeard = false;
    const hook = await receiver((response) => {
      if (isHeard) response.end();
    });
    const { start } = story(script, undefined, noticesTo(hook));
    const other = await start();
    const first = await start();
    await first.begin();
    await until(() => hook.received.length > 0, "somebody was at it");
    // One of them awaits the answer.
    await Promise.all([first.kill(), other.kill()]);
    isHeard = true;
    const next = await start();
    await until(() => hook.received.length > 1, "it was told again");
    const [one, again] = hook.received;
    expect([again!.id, again!.text]).toEqual([one!.id, one!.text]);
    await settle();
    expect(hook.received).toHaveLength(2);
    expect(next.stderr()).toBe("");
  });
});
