import { describe, expect, it } from "vitest";
import { bench, remove } from "./bench.ts";

const steps = [remove("a", "b"), { content: "done" }];
const DAY = 24 * 60 * 60 * 1_000;

describe("a request with an Idempotency-Key", () => {
  it("gets the first answer again, after a restart too", async () => {
    const first = await bench(steps);
    await first.begin();
    const [a] = await first.pending();
    const path = `/approvals/${a!.approval_id}/decision`;
    const key = { "idempotency-key": "k1" };
    const answers = await Promise.all([
      first.post(path, { type: "approve" }, key),
      first.post(path, { type: "approve" }, key),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1].body).toEqual(answers[0].body);
    const second = await first.restart();
    const again = await second.post(path, { type: "approve" }, key);
    expect(again.status).toBe(200);
    expect(again.body).toEqual(answers[0].body);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await second.post(path, { type: "approve" })).status).toBe(409);
    expect(second.effects.deleted).toEqual(["a"]);
  });

  it("is refused with another body, or on another route", async () => {
    const { begin, pending, post } = await bench(steps);
    await begin();
    const [a, b] = await pending();
    const key = { "idempotency-key": "k1" };
    await post(`/approvals/${a!.approval_id}/decision`, { type: "approve" }, key);
    const other = await post(`/approvals/${a!.approval_id}/decision`, { type: "reject" }, key);
    expect(other.body).toMatchObject({ code: "idempotency_mismatch", status: 422 });
    const elsewhere = await post(`/approvals/${b!.approval_id}/decision`, { type: "approve" }, key);
    expect(elsewhere.body).toMatchObject({ code: "idempotency_mismatch" });
    expect(await pending()).toHaveLength(1);
  });

  it("gets a refusal again, and is new after a day", async () => {
    let now = Date.now();
    const { begin, pending, post } = await bench(steps, {
      clock: () => now,
      policy: { version: 1, review: { timeout: "7d" } },
    });
    await begin();
    const [a] = await pending();
    const path = `/approvals/${a!.approval_id}/decision`;
    const key = { "idempotency-key": "k1" };
    expect((await post(path, { type: "maybe" }, key)).status).toBe(422);
    expect((await post(path, { type: "maybe" }, key)).headers.get("idempotent-replayed")).toBe("true");
    now += DAY + 1;
    expect((await post(path, { type: "approve" }, key)).status).toBe(200);
  });
});
