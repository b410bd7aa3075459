import { expect, it } from "vitest";
import { calls, says } from "./plan.ts";
import { story } from "./story.ts";

const ROUNDS = 20;

it("lets one decision stand when two servers on one file take an approval and a rejection at once", async () => {
  const { start, effects } = story([calls(["delete", "$text"]), says("done")]);
  const [one, two] = await Promise.all([start(), start()]);
  const approved: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const text = `round-${round}`;
    const [home, other] = round % 2 === 0 ? [one, two] : [two, one];
    const thread_id = await home.begin(text);
    const { approval_id } = await other.pending(thread_id);
    const answers = await Promise.all([
      one.decide(approval_id, { type: "approve" }),
      two.decide(approval_id, { type: "reject", message: "no" }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [standing] = await other.approvals({ thread_id, status: "all" });
    expect(standing!.status).toBe(answers[0].status === 200 ? "approved" : "rejected");
    const lost = answers.find(({ status }) => status === 409);
    expect(lost?.body).toMatchObject({ code: "already_decided", approval: { status: standing!.status } });
    await home.untilStatus(thread_id, "idle");
    await other.untilStatus(thread_id, "idle");
    if (standing!.status === "approved") approved.push(`delete ${text}`);
    expect(effects()).toEqual(approved);
    expect(await other.messages(thread_id)).toHaveLength(4);
  }
  expect((await one.get("/audit/verify")).body).toMatchObject({ ok: true });
  expect(one.stderr() + two.stderr()).toBe("");
});
