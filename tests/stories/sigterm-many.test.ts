import { expect, it } from "vitest";
import { calls, says } from "./plan.ts";
import { story } from "./story.ts";
import { until } from "./until.ts";

const PENDING = 100;
const RUNNING = 5;
const names = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${letter}${n}`);

it("exits within 10 s with 100 questions pending and 5 tools running, and has all of them after its restart", async () => {
  const running = names("r", RUNNING);
  const { serve, effects } = story([calls(["delete", "$text"]), says("done")]);
  const first = await serve(running.map((path) => `before effect ${path}`));
  for (const text of names("p", PENDING)) await first.begin(text);
  const threads = await Promise.all(running.map((text) => first.begin(text)));
  for (const thread_id of threads) {
    const { approval_id } = await first.pending(thread_id);
    first.decide(approval_id, { type: "approve" }).catch(() => undefined);
  }
  await Promise.all(running.map((path) => first.at(`before effect ${path}`)));
  const before = await first.approvals();
  expect(before).toHaveLength(PENDING);

  const ending = first.terminate();
  for (const path of running) first.release(`before effect ${path}`);
  const { code, ms } = await ending;
  expect(code).toBe(0);
  expect(ms).toBeLessThan(10_000);

  const second = await serve();
  expect(await second.approvals()).toEqual(before);
  for (const thread_id of threads) await second.untilStatus(thread_id, "idle");
  expect(effects().toSorted()).toEqual(running.map((path) => `delete ${path}`));
  await until(async () => (await second.get("/audit/verify")).body["ok"] as unknown as boolean);
  const [one] = before;
  await second.decide(one!.approval_id, { type: "approve" });
  expect(effects()).toHaveLength(RUNNING + 1);
  expect(first.stderr() + second.stderr()).toBe("");
});
